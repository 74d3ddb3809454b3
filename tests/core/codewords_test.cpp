// Blocks of GGUF with a codebook, with values from a table, or of two or three bits: the bits of the
// reference (goldens/make_codeword_goldens.py), pieces of tensors, and products.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <fmt/format.h>

#include "core/base/element_type.hpp"
#include "core/base/error.hpp"
#include "core/base/random.hpp"
#include "core/base/stored_tensor.hpp"
#include "core/blocks/weight_product.hpp"
#include "core/files/formats/gguf.hpp"
#include "core/files/formats/safetensors.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::codewords_test {

namespace fs = std::filesystem;
using Catch::Matchers::ContainsSubstring;
using test::message_of;

namespace {

constexpr std::array types{
    ElementType::Q2_K,   ElementType::Q3_K,  ElementType::IQ1_S,   ElementType::IQ1_M, ElementType::IQ2_XXS,
    ElementType::IQ2_XS, ElementType::IQ2_S, ElementType::IQ3_XXS, ElementType::IQ3_S, ElementType::IQ4_NL,
    ElementType::IQ4_XS, ElementType::TQ1_0, ElementType::TQ2_0,   ElementType::MXFP4, ElementType::NVFP4};

std::uint32_t bits_of(float value) {
  return std::isnan(value) ? 0x7fc00000 : std::bit_cast<std::uint32_t>(value);
}

std::int64_t count_different(std::span<const float> a, std::span<const float> b) {
  if (a.size() != b.size()) return -1;
  return std::transform_reduce(a.begin(), a.end(), b.begin(), std::int64_t{0}, std::plus<>(),
                               [](float x, float y) { return bits_of(x) != bits_of(y) ? 1 : 0; });
}

/// The bytes of SplitMix64 from the state 0.
std::vector<std::byte> pseudorandom(std::size_t count) {
  std::vector<std::byte> bytes(count);
  std::uint64_t state = 0;
  for (std::size_t at = 0; at < count; at += 8) {
    std::uint64_t z = state += 0x9E3779B97F4A7C15;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    z ^= z >> 31;
    std::memcpy(bytes.data() + at, &z, std::min<std::size_t>(8, count - at));
  }
  return bytes;
}

class Memory final : public MemoryOwner {
 public:
  explicit Memory(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {}
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

/// Weights of any size, none of them NaN or infinite: all half floats are below 2. They begin at an odd
/// address.
StoredTensor weights(ElementType type, Shape shape) {
  const BlockSize block = block_of(type);
  std::vector<std::byte> bytes =
      pseudorandom(static_cast<std::size_t>(shape.count() / block.elements * block.bytes) + 1);
  for (std::byte& byte : bytes) byte &= std::byte{0xbf};
  const auto owner = std::make_shared<const Memory>(std::move(bytes));
  return {type, shape, owner->bytes().subspan(1), owner};
}

}  // namespace

TEST_CASE("blocks with codewords have the bits of the reference") {
  const SafetensorsFile file(fs::path(ATTNSCOPE_TESTS) / "goldens/codewords.safetensors");
  for (const ElementType type : types) {
    const std::string name(to_string(type));
    INFO(name);
    const TensorEntry *bytes = file.find(name + ".bytes"), *values = file.find(name + ".values"),
                      *hash = file.find(name + ".hash");
    REQUIRE((bytes != nullptr && values != nullptr && hash != nullptr));
    const Tensor expected = to_tensor<float>(*values, file.path());
    const BlockSize block = block_of(type);
    REQUIRE(bytes->shape[1] == block.bytes);
    REQUIRE(expected.shape() == Shape{bytes->shape[0], block.elements});
    Tensor found(expected.shape());
    widen(type, bytes->bytes, found.values());
    CHECK(count_different(found.values(), expected.values()) == 0);

    constexpr std::int64_t blocks = 3000;
    std::vector<float> many(static_cast<std::size_t>(blocks * block.elements));
    widen(type, pseudorandom(static_cast<std::size_t>(blocks * block.bytes)), many);
    std::uint64_t sum = 0, odd = 1;
    for (const float value : many) sum += bits_of(value) * std::exchange(odd, odd + 2);
    std::uint64_t wanted = 0;
    REQUIRE(hash->bytes.size() == sizeof wanted);
    std::memcpy(&wanted, hash->bytes.data(), sizeof wanted);
    CHECK(sum == wanted);
  }
}

TEST_CASE("tensors with codewords are read from any number to any other") {
  for (const ElementType type : types) {
    INFO(to_string(type));
    const std::int64_t elements = block_of(type).elements, columns = 2 * elements, count = 3 * columns;
    const StoredTensor kept = weights(type, {3, columns});
    const Tensor all = kept.widened();
    std::vector<float> piece(static_cast<std::size_t>(count));
    std::int64_t wrong = 0;
    for (std::int64_t first = 0; first < count; first += 5)
      for (std::int64_t length = first % 3; length <= count - first; length += 13) {
        const auto some = std::span(piece).first(static_cast<std::size_t>(length));
        kept.read(first, some);
        wrong += std::memcmp(some.data(), all.data() + first, some.size_bytes()) != 0;
      }
    CHECK(wrong == 0);
    CHECK_THAT(message_of<Error>([&] {
                 StoredTensor(type, {2, elements + 16}, {}, nullptr);
               }),
               ContainsSubstring(fmt::format("multiple of {}", elements)));
  }
}

TEST_CASE("a product with codewords has the bits of widening them first") {
  ThreadPool one(1), three(3);
  std::uint64_t seed = 480;
  for (const ElementType type : types)
    for (const WeightLayout layout : {WeightLayout::OutIn, WeightLayout::InOut})
      for (const std::int64_t rows : {1, 2, 3, 11}) {
        INFO(to_string(type) << ' ' << rows);
        const bool out_in = layout == WeightLayout::OutIn;
        const Shape shape = out_in ? Shape{85, 512} : Shape{512, 256};
        const std::int64_t d_in = 512, d_out = out_in ? 85 : 256;
        Tensor x(Shape{rows, d_in});
        fill_normal(x.values(), ++seed, 0, 1);
        const StoredTensor w = weights(type, shape);
        const auto wide = std::make_shared<const Tensor>(w.widened());
        const auto product = [&](ThreadPool& pool, const StoredTensor& by) {
          Tensor y(Shape{rows, d_out});
          multiply({pool, {}}, {x.data(), rows, d_in, d_in}, {by, layout, {}},
                   {y.data(), rows, d_out, d_out});
          return y;
        };
        CHECK(product(three, w) == product(one, StoredTensor(wide)));
      }
}

TEST_CASE("tables of tokens in every type of GGUF are the reference's") {
  const fs::path folder = fs::path(ATTNSCOPE_SHARED) / "vectors/gguf_types";
  if (!exists(folder)) SKIP("no folder shared/vectors/gguf_types");
  int files = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".gguf") continue;
    INFO(entry.path().filename());
    const GgufFile file(entry.path());
    const Tensor found = file.stored("token_embd.weight").widened();
    const SafetensorsFile goldens(folder / (entry.path().stem().native() + ".goldens.safetensors"));
    const TensorEntry *rows = goldens.find("single.hidden_states.0"), *ids = goldens.find("single.input_ids");
    REQUIRE((rows != nullptr && ids != nullptr));
    const Tensor expected = to_tensor<float>(*rows, goldens.path()),
                 wanted = to_tensor<float>(*ids, goldens.path());
    const std::int64_t width = found.shape()[1];
    REQUIRE(expected.size() == wanted.size() * width);
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < wanted.size(); ++i) {
      const auto row = static_cast<std::int64_t>(wanted.data()[i]);
      for (std::int64_t j = 0; j < width; ++j)
        wrong += bits_of(found.data()[row * width + j]) != bits_of(expected.data()[i * width + j]);
    }
    CHECK(wrong == 0);
    ++files;
  }
  CHECK(files >= 10);
}

}  // namespace attnscope::codewords_test
