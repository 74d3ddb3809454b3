// tests/fuzz: safetensors files, every tensor of them, and the Document they make.
#include "core/files/safetensors.hpp"

#include "core/files/open.hpp"
#include "fuzz/harness.hpp"

using namespace attnscope;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::MemoryFile memory;
  const std::filesystem::path path = memory.hold({data, size});
  fuzz::expect_result_or_sentence([&] {
    const SafetensorsFile file(path);
    for (const TensorEntry& entry : file.tensors()) {
      if (file.find(entry.name) != &entry) fuzz::finding("a tensor that cannot be found", entry.name);
      fuzz::expect_result_or_sentence([&] { to_tensor<float>(entry, path); });
      fuzz::expect_result_or_sentence([&] { to_tensor<double>(entry, path); });
    }
    document_from_tensors(file);
  });
  return 0;
}
