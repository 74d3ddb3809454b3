// Quantised blocks: the bits of the reference (goldens/make_quantised_goldens.py), an oracle that reads bit
// by bit, ranges that cut blocks at both ends, and products.
#include "core/base/quantised.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/base/random.hpp"
#include "core/base/stored_tensor.hpp"
#include "core/blocks/weight_product.hpp"
#include "core/files/formats/safetensors.hpp"
#include "oracle/quantised.hpp"
#include "support/seeds.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::quantised_test {

using Catch::Matchers::ContainsSubstring;
using test::message_of;

namespace {

constexpr std::array types{ElementType::Q8_0, ElementType::Q4_0, ElementType::Q4_1, ElementType::Q5_0,
                           ElementType::Q5_1, ElementType::Q4_K, ElementType::Q5_K, ElementType::Q6_K};

/// The same bits, or both NaN.
std::int64_t count_different(std::span<const float> a, std::span<const float> b) {
  if (a.size() != b.size()) return -1;
  std::int64_t different = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    different += !(std::isnan(a[i]) && std::isnan(b[i])) &&
                 std::bit_cast<std::uint32_t>(a[i]) != std::bit_cast<std::uint32_t>(b[i]);
  return different;
}

std::span<const std::uint8_t> unsigned_bytes(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
}

/// Whether a float is the oracle's number within four roundings.
bool is_close(float found, const oracle::Dequantised& expected) {
  const auto value = static_cast<double>(found);
  if (std::isnan(expected.value)) return std::isnan(value);
  if (std::isinf(expected.value)) return value == expected.value;
  return std::abs(value - expected.value) <= 4 * 6e-8 * expected.size;
}

class Memory final : public MemoryOwner {
 public:
  explicit Memory(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {}
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

/// Random blocks whose scales are those of weights, `shift` bytes behind an aligned address.
StoredTensor random_weights(ElementType type, Shape shape, std::uint64_t seed, std::size_t shift = 0) {
  const BlockSize block = block_of(type);
  const auto size = static_cast<std::size_t>(block.bytes);
  const auto blocks = static_cast<std::size_t>(shape.count() / block.elements);
  std::mt19937_64 random(seed);
  std::vector<std::byte> bytes(shift + blocks * size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random() & 255);
  for (std::size_t i = 0; i < blocks; ++i) {
    std::byte* const one = bytes.data() + shift + i * size;
    const auto half = [&](std::size_t at, float value) {
      const Eigen::half stored(value);
      std::memcpy(one + at, &stored, sizeof stored);
    };
    const float scale = 0.001f * static_cast<float>(1 + random() % 100);
    const bool has_minimum = type == ElementType::Q4_1 || type == ElementType::Q5_1 ||
                             type == ElementType::Q4_K || type == ElementType::Q5_K;
    half(type == ElementType::Q6_K ? 208 : 0, scale);
    if (has_minimum) half(2, type == ElementType::Q4_1 || type == ElementType::Q5_1 ? -8 * scale : scale);
  }
  const auto owner = std::make_shared<const Memory>(std::move(bytes));
  return {type, shape, owner->bytes().subspan(shift), owner};
}

}  // namespace

TEST_CASE("quantised blocks have the bits of the reference") {
  const SafetensorsFile file(std::filesystem::path(ATTNSCOPE_TESTS) / "goldens/quantised.safetensors");
  for (const ElementType type : types) {
    const std::string name(to_string(type));
    INFO(name);
    const TensorEntry *bytes = file.find(name + ".bytes"), *values = file.find(name + ".values");
    REQUIRE((bytes != nullptr && values != nullptr));
    const Tensor expected = to_tensor<float>(*values, file.path());
    const BlockSize block = block_of(type);
    REQUIRE(bytes->shape[1] == block.bytes);
    REQUIRE(expected.shape() == Shape{bytes->shape[0], block.elements});
    Tensor found(expected.shape());
    widen(type, bytes->bytes, found.values());
    CHECK(count_different(found.values(), expected.values()) == 0);
    std::int64_t wrong = 0, finite = 0;
    for (std::int64_t i = 0; i < block.elements * bytes->shape[0]; ++i) {
      const std::int64_t at = i / block.elements, index = i % block.elements;
      const auto one = bytes->bytes.subspan(static_cast<std::size_t>(at * block.bytes),
                                            static_cast<std::size_t>(block.bytes));
      const float value = found.values()[static_cast<std::size_t>(i)];
      finite += std::isfinite(value);
      wrong +=
          !is_close(value, oracle::dequantised(name, unsigned_bytes(one), static_cast<std::size_t>(index)));
    }
    CHECK(wrong == 0);
    CHECK(finite * 3 > found.size());
  }
}

TEST_CASE("random quantised blocks are what an oracle reads bit by bit") {
  for (const ElementType type : types) {
    INFO(to_string(type));
    const BlockSize block = block_of(type);
    std::mt19937_64 random(seeds::of_case("quantised", static_cast<std::uint64_t>(type)));
    std::vector<std::byte> bytes(static_cast<std::size_t>(400 * block.bytes));
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random() & 255);
    std::vector<float> found(static_cast<std::size_t>(400 * block.elements));
    widen(type, bytes, found);
    std::int64_t wrong = 0;
    const auto elements = static_cast<std::size_t>(block.elements);
    for (std::size_t i = 0; i < found.size(); ++i) {
      const auto one = unsigned_bytes(bytes).subspan(i / elements * static_cast<std::size_t>(block.bytes),
                                                     static_cast<std::size_t>(block.bytes));
      wrong += !is_close(found[i], oracle::dequantised(to_string(type), one, i % elements));
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("a quantised tensor is read from any number to any other") {
  for (const ElementType type : types) {
    INFO(to_string(type));
    const std::int64_t elements = block_of(type).elements, columns = elements == 32 ? 96 : 512, rows = 3;
    const StoredTensor kept = random_weights(type, {rows, columns}, 11, 1);
    const Tensor all = kept.widened();
    CHECK(kept.floats().empty());
    // Every range in blocks of 32; in blocks of 256 every start, with lengths around those of the block and
    // the row.
    const std::int64_t count = rows * columns;
    std::vector<float> piece(static_cast<std::size_t>(count));
    std::int64_t wrong = 0;
    for (std::int64_t first = 0; first < count; ++first)
      for (std::int64_t length = 0; length <= count - first; ++length) {
        const std::int64_t rest = length % elements;
        if (elements > 32 && rest > 1 && rest < elements - 1 && (first + length) % 61 != 0) continue;
        const auto some = std::span(piece).first(static_cast<std::size_t>(length));
        kept.read(first, some);
        wrong += std::memcmp(some.data(), all.data() + first, some.size_bytes()) != 0;
      }
    CHECK(wrong == 0);
    for (std::int64_t first = 0; first < columns; first += 7)
      for (const std::int64_t width : {std::int64_t{1}, elements / 2, elements, elements + 5, columns}) {
        if (first + width > columns) continue;
        Tensor some(Shape{rows, width});
        kept.read_columns(first, some.matrix());
        const Tensor &found = some, &whole = all;
        wrong += !(found.matrix().array() == whole.matrix().middleCols(first, width).array()).all();
      }
    CHECK(wrong == 0);
  }
}

TEST_CASE("rows that end inside of a block, and bytes that are too few, are refused") {
  const std::vector<std::byte> bytes(1000);
  const auto refusal = [&](ElementType type, Shape shape, std::size_t count) {
    return message_of<Error>([&] { StoredTensor(type, shape, std::span(bytes).first(count), nullptr); });
  };
  CHECK_THAT(refusal(ElementType::Q4_K, {2, 128}, 144), ContainsSubstring("type Q4_K") &&
                                                            ContainsSubstring("[2, 128]") &&
                                                            ContainsSubstring("multiple of 256"));
  CHECK_THAT(refusal(ElementType::Q8_0, {64, 31}, 0), ContainsSubstring("multiple of 32"));
  CHECK_THAT(refusal(ElementType::Q8_0, {}, 34), ContainsSubstring("multiple of 32"));
  CHECK_THAT(refusal(ElementType::Q8_0, {2, 32}, 67), ContainsSubstring("2 times 34 bytes"));
  CHECK(refusal(ElementType::Q8_0, {2, 32}, 68).empty());
  CHECK(refusal(ElementType::Q6_K, {0, 256}, 0).empty());
  CHECK(refusal(ElementType::Q6_K, {7, 0}, 0).empty());
}

TEST_CASE("a product with quantised weights has the bits of widening them first") {
  std::uint64_t seed = 100;
  ThreadPool one(1), three(3);
  for (const ElementType type : types) {
    for (const auto& [rows, d_in, d_out] : {std::array<std::int64_t, 3>{1, 256, 512},
                                            {3, 512, 256},
                                            {70, 256, 256},
                                            {1, 768, 256},
                                            {300, 256, 512}}) {
      INFO(to_string(type) << ' ' << rows << ' ' << d_in << ' ' << d_out);
      Tensor x(Shape{2, rows, d_in}), bias(Shape{d_out});
      fill_normal(x.values(), ++seed, 0, 1);
      fill_normal(bias.values(), ++seed, 0, 1);
      for (const WeightLayout layout : {WeightLayout::OutIn, WeightLayout::InOut}) {
        const bool out_in = layout == WeightLayout::OutIn;
        const Shape shape = out_in ? Shape{d_out, d_in} : Shape{d_in, d_out};
        const StoredTensor w = random_weights(type, shape, ++seed, 1);
        const auto wide = std::make_shared<const Tensor>(w.widened());
        const auto product = [&](ThreadPool& pool, const StoredTensor& weights) {
          Tensor y(Shape{2, rows, d_out});
          multiply({pool, {}}, {x.data(), 2 * rows, d_in, d_in},
                   {weights, layout, {bias.values().begin(), bias.values().end()}},
                   {y.data(), 2 * rows, d_out, d_out});
          return y;
        };
        const Tensor found = product(three, w);
        CHECK(found == product(one, StoredTensor(wide)));
        std::int64_t wrong = 0;
        for (std::int64_t b = 0; b < 2; ++b)
          for (std::int64_t i = 0; i < rows; i += 1 + rows / 5)
            for (std::int64_t j = 0; j < d_out; j += 3) {
              auto sum = static_cast<double>(bias.values()[static_cast<std::size_t>(j)]);
              double size = std::abs(sum);
              for (std::int64_t k = 0; k < d_in; ++k) {
                const float weight = out_in ? wide->matrix()(j, k) : wide->matrix()(k, j);
                const double term =
                    static_cast<double>(std::as_const(x).matrix(b)(i, k)) * static_cast<double>(weight);
                sum += term;
                size += std::abs(term);
              }
              const auto value = static_cast<double>(found.matrix(b)(i, j));
              wrong += std::abs(value - sum) > size * static_cast<double>(d_in + 2) * 6e-8;
            }
        CHECK(wrong == 0);
      }
    }
  }
}

}  // namespace attnscope::quantised_test
