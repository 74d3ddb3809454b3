// tests/fuzz: NPY files.
#include "core/files/formats/npy.hpp"

#include "fuzz/harness.hpp"

using namespace attnscope;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::MemoryFile memory;
  const std::filesystem::path path = memory.hold({data, size});
  fuzz::expect_result_or_sentence([&] {
    const TensorOf<double> tensor = read_npy<double>(path);
    if (read_npy<float>(path).shape() != tensor.shape())
      fuzz::finding("two shapes", to_string(tensor.shape()));
  });
  return 0;
}
