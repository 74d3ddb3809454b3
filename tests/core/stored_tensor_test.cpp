// Stored numbers: widened exactly at any address, products with the same bits as after widening, used in
// place in a mapped file, and refused once that file is shorter.
#include "core/base/stored_tensor.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <random>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "core/base/error.hpp"
#include "core/base/random.hpp"
#include "core/blocks/weight_product.hpp"
#include "core/files/formats/safetensors.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::stored_tensor_test {

using test::TemporaryDirectory;

namespace {

constexpr std::array types{ElementType::Float32, ElementType::BFloat16, ElementType::Float16};

Tensor numbers(Shape shape, std::uint64_t seed) {
  Tensor tensor(shape);
  fill_normal(tensor.values(), seed, 0, 1);
  return tensor;
}

/// A number by definition from the bits of its sign, exponent and fraction.
double number_of(std::uint32_t bits, int exponent_bits, int fraction_bits) {
  const std::uint32_t fraction = bits & ((1u << fraction_bits) - 1);
  const auto exponent = static_cast<int>(bits >> fraction_bits & ((1u << exponent_bits) - 1));
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const double sign = bits >> (exponent_bits + fraction_bits) != 0 ? -1 : 1;
  const double part = std::ldexp(static_cast<double>(fraction), -fraction_bits);
  if (exponent == (1 << exponent_bits) - 1)
    return fraction != 0 ? std::numeric_limits<double>::quiet_NaN() : sign * INFINITY;
  if (exponent == 0) return sign * std::ldexp(part, 1 - bias);
  return sign * std::ldexp(1 + part, exponent - bias);
}

/// Keeps bytes at a chosen distance from an aligned address.
class Bytes final : public MemoryOwner {
 public:
  Bytes(ElementType type, const Tensor& tensor, std::size_t shift) : shift_(shift) {
    const auto size = static_cast<std::size_t>(block_of(type).bytes);
    memory_.resize(shift + tensor.values().size() * size);
    std::byte* to = memory_.data() + shift;
    for (const float value : tensor.values()) {
      const Eigen::bfloat16 brain(value);
      const Eigen::half half(value);
      const void* from = &value;
      if (type == ElementType::BFloat16) from = &brain;
      if (type == ElementType::Float16) from = &half;
      std::memcpy(to, from, size);
      to += size;
    }
  }
  std::span<const std::byte> bytes() const { return std::span(memory_).subspan(shift_); }

 private:
  std::size_t shift_;
  std::vector<std::byte> memory_;
};

StoredTensor stored(ElementType type, const Tensor& tensor, std::size_t shift = 0) {
  const auto owner = std::make_shared<const Bytes>(type, tensor, shift);
  return {type, tensor.shape(), owner->bytes(), owner};
}

/// x·W + bias, as models compute it, for x [batch][rows][d_in].
Tensor product(const Work& work, const Tensor& x, const StoredTensor& w, WeightLayout layout,
               const Tensor* bias = nullptr) {
  LinearMap map{w, layout, {}};
  if (bias != nullptr) map.bias.assign(bias->values().begin(), bias->values().end());
  const std::int64_t rows = x.shape()[0] * x.shape()[1], d_in = x.shape()[2], d_out = map.d_out();
  Tensor y(Shape{x.shape()[0], x.shape()[1], d_out});
  multiply(work, {x.data(), rows, d_in, d_in}, map, {y.data(), rows, d_out, d_out});
  return y;
}
/// Weights as floats, ready to be used in place.
StoredTensor as_floats(const StoredTensor& w) {
  return StoredTensor(std::make_shared<const Tensor>(w.widened()));
}

bool same_bits(std::span<const float> a, std::span<const float> b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

}  // namespace

TEST_CASE("every number of 16 bits is widened to what its bits say") {
  for (const ElementType type : {ElementType::BFloat16, ElementType::Float16}) {
    std::vector<std::uint16_t> all(65536);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint16_t>(i);
    std::vector<float> floats(all.size());
    widen(type, std::as_bytes(std::span(all)), floats);
    std::int64_t wrong = 0;
    for (std::uint32_t i = 0; i < 65536; ++i) {
      const double expected = type == ElementType::BFloat16 ? number_of(i, 8, 7) : number_of(i, 5, 10);
      const auto found = static_cast<double>(floats[i]);
      const bool same = std::isnan(expected)
                            ? std::isnan(found)
                            : found == expected && std::signbit(found) == std::signbit(expected);
      wrong += !same;
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("a piece, columns or all of a stored tensor are its numbers, at any address") {
  const Tensor tensor = numbers({13, 21}, 3);
  for (const ElementType type : types) {
    for (const std::size_t shift : {0, 1, 2, 3, 5}) {
      const StoredTensor kept = stored(type, tensor, shift);
      const Tensor all = kept.widened();
      REQUIRE(all.shape() == tensor.shape());
      const double tolerance = type == ElementType::Float32    ? 0
                               : type == ElementType::BFloat16 ? 1 / 256.0
                                                               : 1 / 2048.0;
      for (std::size_t i = 0; i < all.values().size(); ++i) {
        const auto expected = static_cast<double>(tensor.values()[i]);
        CHECK(std::abs(static_cast<double>(all.values()[i]) - expected) <= tolerance * std::abs(expected));
      }
      std::vector<float> piece(30);
      kept.read(17, piece);
      CHECK(same_bits(piece, all.values().subspan(17, 30)));
      Tensor columns(Shape{13, 4});
      kept.read_columns(6, columns.matrix());
      const Tensor &some = columns, &whole = all;
      CHECK((some.matrix().array() == whole.matrix().middleCols(6, 4).array()).all());
      const bool lies_ready = type == ElementType::Float32 && !kept.floats().empty();
      if (lies_ready) CHECK(same_bits(kept.floats(), all.values()));
    }
  }
  CHECK_THROWS_AS(StoredTensor(ElementType::BFloat16, Shape{13, 21}, std::as_bytes(tensor.values()), nullptr),
                  Error);
  const StoredTensor empty;
  CHECK(empty.widened().size() == 0);
}

TEST_CASE("a stored tensor keeps the Tensor that it is made of") {
  auto tensor = std::make_shared<const Tensor>(numbers({4, 5}, 1));
  const Tensor copy = *tensor;
  const float* const where = tensor->data();
  const StoredTensor kept{std::move(tensor)};
  CHECK(kept.floats().data() == where);
  CHECK(kept.widened() == copy);
}

TEST_CASE("a product with stored weights has the bits of widening them first") {
  const TemporaryDirectory directory;
  std::uint64_t seed = 1;
  for (const ElementType type : types) {
    for (const auto& [rows, d_in, d_out] : {std::array<std::int64_t, 3>{1, 5, 7},
                                            {3, 64, 64},
                                            {70, 33, 129},
                                            {300, 96, 200},
                                            {66, 300, 65},
                                            {5, 20, 1},
                                            {65, 1030, 66},
                                            {1, 512, 130},
                                            {0, 4, 4}}) {
      const Tensor x = numbers({2, rows, d_in}, ++seed), bias = numbers({d_out}, ++seed);
      const Tensor w = numbers({d_in, d_out}, ++seed);
      Tensor turned(Shape{d_out, d_in});
      turned.matrix() = w.matrix().transpose();
      const StoredTensor in_out = stored(type, w, 1), out_in = stored(type, turned, 3);
      ThreadPool one(1), three(3);
      CAPTURE(static_cast<int>(type), rows, d_in, d_out);
      const Tensor wide = in_out.widened();
      const Tensor found = product({one, {}}, x, in_out, WeightLayout::InOut, &bias);
      const Tensor other = product({one, {}}, x, out_in, WeightLayout::OutIn, &bias);
      for (ThreadPool* const pool : {&one, &three}) {
        const auto same = [&](const Tensor& expected, const StoredTensor& weights, WeightLayout layout) {
          return same_bits(expected.values(), product({*pool, {}}, x, weights, layout, &bias).values());
        };
        CHECK(same(found, in_out, WeightLayout::InOut));
        CHECK(same(found, as_floats(in_out), WeightLayout::InOut));
        CHECK(same(other, out_in, WeightLayout::OutIn));
        CHECK(same(other, as_floats(out_in), WeightLayout::OutIn));
      }
      for (std::int64_t b = 0; b < 2; ++b)
        for (std::int64_t i = 0; i < rows; ++i)
          for (std::int64_t j = 0; j < d_out; ++j) {
            double sum = static_cast<double>(bias.values()[static_cast<std::size_t>(j)]),
                   size = std::abs(sum);
            for (std::int64_t k = 0; k < d_in; ++k) {
              const double term =
                  static_cast<double>(x.matrix(b)(i, k)) * static_cast<double>(wide.matrix()(k, j));
              sum += term;
              size += std::abs(term);
            }
            // Every addition rounds once.
            const double most = size * static_cast<double>(d_in + 2) * 6e-8;
            if (std::abs(static_cast<double>(found.matrix(b)(i, j)) - sum) > most ||
                std::abs(static_cast<double>(other.matrix(b)(i, j)) - sum) > most)
              FAIL("cell " << i << ", " << j);
          }
    }
  }
}

TEST_CASE("sizes that do not fit are refused, and a stop stops a product") {
  ThreadPool pool(1);
  const Tensor x = numbers({1, 3, 4}, 1), bias = numbers({4}, 2);
  const StoredTensor w = stored(ElementType::BFloat16, numbers({4, 6}, 3));
  CHECK_THROWS_AS(product({pool, {}}, x, w, WeightLayout::OutIn), Error);
  CHECK_THROWS_AS(product({pool, {}}, x, w, WeightLayout::InOut, &bias), Error);
  CHECK_THROWS_AS(product({pool, {}}, numbers({1, 3, 5}, 1), w, WeightLayout::InOut), Error);
  std::stop_source stop;
  stop.request_stop();
  CHECK_THROWS_AS(product({pool, stop.get_token()}, x, w, WeightLayout::InOut), Cancelled);
}

TEST_CASE("weights of a file are used where they lie, longer than the reader lives") {
  const TemporaryDirectory directory;
  const Tensor w = numbers({40, 30}, 5), other = numbers({3}, 6);
  const TensorOf<double> wide(Shape{2}, {0.5, -3});
  const std::filesystem::path path = directory / "w.safetensors";
  write_safetensors(path, std::array{NamedTensor{"f", &w, DType::F32}, NamedTensor{"b", &w, DType::BF16},
                                     NamedTensor{"h", &w, DType::F16}, NamedTensor{"odd", &other, DType::F16},
                                     NamedTensor{"d", &wide, DType::F64}});
  std::vector<StoredTensor> kept;
  {
    const SafetensorsFile file(path);
    for (const char* name : {"f", "b", "h", "d"}) {
      const TensorEntry& entry = *file.find(name);
      kept.push_back(file.stored(entry));
      CHECK(kept.back().widened() == to_tensor<float>(entry, path));
      CHECK((kept.back().bytes().data() == entry.bytes.data()) == (*name != 'd'));
    }
  }
  CHECK(same_bits(kept[0].widened().values(), w.values()));
  CHECK(kept[3].widened().values()[1] == -3);
  ThreadPool pool(2);
  const Tensor x = numbers({1, 5, 40}, 7);
  const Tensor first = product({pool, {}}, x, kept[1], WeightLayout::InOut);
  CHECK(same_bits(first.values(), product({pool, {}}, x, as_floats(kept[1]), WeightLayout::InOut).values()));

  std::filesystem::resize_file(path, 200);
  CHECK_THROWS_AS(kept[1].widened(), Error);
  CHECK_THROWS_AS(kept[0].check(), Error);
  CHECK_THROWS_AS(product({pool, {}}, x, kept[1], WeightLayout::InOut), Error);
  CHECK(kept[3].widened().values()[0] == 0.5f);  // a copy
}

}  // namespace attnscope::stored_tensor_test
