// tests/fuzz: NPZ files, all of whose arrays are read that are not too large.
#include "core/files/archives/npz.hpp"

#include "fuzz/harness.hpp"

using namespace attnscope;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::uint64_t most_numbers = 1 << 20;
  static fuzz::MemoryFile memory;
  const std::filesystem::path path = memory.hold({data, size});
  fuzz::expect_result_or_sentence([&] {
    const SafetensorsFile file = open_npz(path);
    for (const TensorEntry& entry : file.tensors()) {
      if (entry.count() > most_numbers) continue;
      fuzz::expect_result_or_sentence([&] {
        if (static_cast<std::uint64_t>(to_tensor<float>(entry, path).size()) != entry.count())
          fuzz::finding("another number of values", entry.name);
      });
    }
  });
  return 0;
}
