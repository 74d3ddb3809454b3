// tests/fuzz: safetensors files, every tensor of them, and the Documents they make: attention, cut into heads
// or not, and a whole layer.
#include "core/files/formats/safetensors.hpp"

#include "core/files/import/attention_tensors.hpp"
#include "core/files/import/layer_tensors.hpp"
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
    fuzz::expect_result_or_sentence([&] {
      const Document document = document_from_tensors(file, {2, 1});
      exact_sources(file, document, {2, 1});
    });
    fuzz::expect_result_or_sentence([&] {
      const Document document = document_from_layer(file, {2, true, true});
      layer_sources<double>(file, document);
    });
    document_from_tensors(file);
  });
  return 0;
}
