// Products with a model's weights: against double, for every storage and layout, and the same bits for a row
// whatever rows are multiplied with it.
#include "core/blocks/weight_product.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <span>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "core/base/element_type.hpp"
#include "core/base/error.hpp"
#include "core/base/random.hpp"
#include "core/base/scratch_pool.hpp"
#include "core/streaming/border/instruction_sets.hpp"
#include "core/streaming/drive.hpp"
#include "core/streaming/kernels/kernels.hpp"

namespace attnscope::weight_product_test {
namespace {

Tensor drawn(Shape shape, std::uint64_t seed) {
  Tensor tensor(shape);
  for (std::int64_t i = 0; i < tensor.size(); ++i)
    tensor.data()[i] =
        static_cast<float>(random_normal(seed, stream_of("weight product"), static_cast<std::uint64_t>(i)));
  return tensor;
}

LinearMap map_of(Tensor weight, WeightLayout layout, std::vector<float> bias = {}) {
  return {StoredTensor(std::make_shared<const Tensor>(std::move(weight))), layout, std::move(bias)};
}

Tensor product(const Tensor& x, const LinearMap& map, int threads = 2) {
  ThreadPool pool(threads);
  Tensor y(Shape{x.shape()[0], map.d_out()});
  multiply(Work{pool, {}}, {x.data(), x.shape()[0], x.shape()[1], x.shape()[1]}, map,
           {y.data(), y.shape()[0], y.shape()[1], y.shape()[1]});
  return y;
}

Tensor transposed(const Tensor& w) {
  Tensor t(Shape{w.shape()[1], w.shape()[0]});
  t.matrix() = w.matrix().transpose();
  return t;
}

/// The number of elements with different bits; all NaN count as equal.
std::int64_t different_bits(const std::vector<float>& a, const std::vector<float>& b) {
  std::int64_t different = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!(std::isnan(a[i]) && std::isnan(b[i])) &&
        std::bit_cast<std::uint32_t>(a[i]) != std::bit_cast<std::uint32_t>(b[i]))
      ++different;
  return different;
}

}  // namespace

TEST_CASE("products equal those in double, in both layouts", "[weight_product]") {
  for (const auto& [rows, depth, columns] : {std::array{1, 1, 1}, std::array{5, 7, 3}, std::array{13, 64, 50},
                                             std::array{193, 100, 97}, std::array{2, 769, 131}}) {
    CAPTURE(rows, depth, columns);
    const Tensor x = drawn(Shape{rows, depth}, 1), w = drawn(Shape{columns, depth}, 2),
                 b = drawn(Shape{columns}, 3);
    const std::vector<float> bias(b.values().begin(), b.values().end());
    const Tensor y = product(x, map_of(w, WeightLayout::OutIn, bias));
    const Eigen::MatrixXd expected =
        (x.matrix().cast<double>() * w.matrix().cast<double>().transpose()).rowwise() +
        b.matrix().row(0).cast<double>();
    // Sums of `depth` products of N(0, 1) in float: a few units in the last place of √depth each.
    const LinearMap turned = map_of(transposed(w), WeightLayout::InOut, bias);
    const Tensor z = product(x, turned);
    CHECK((y.matrix().cast<double>() - expected).cwiseAbs().maxCoeff() < 2e-7 * depth + 1e-6);
    CHECK((z.matrix().cast<double>() - expected).cwiseAbs().maxCoeff() < 2e-7 * depth + 1e-6);
    CHECK(product(x, map_of(w, WeightLayout::OutIn, bias), 1) == y);
    CHECK(product(x, turned, 1) == z);
  }
}

TEST_CASE("a row's product does not depend on the rows beside it", "[weight_product]") {
  const auto layout = GENERATE(WeightLayout::OutIn, WeightLayout::InOut);
  const std::int64_t depth = GENERATE(77, 600);
  const Tensor x = drawn(Shape{200, depth}, 4);
  const std::int64_t columns = 300;
  const LinearMap map = map_of(
      layout == WeightLayout::OutIn ? drawn(Shape{columns, depth}, 5) : drawn(Shape{depth, columns}, 5),
      layout);
  const Tensor all = product(x, map);
  for (const std::int64_t first : {0, 1, 7, 100, 191, 199}) {
    for (const std::int64_t count : {1, 2, 5, 6, 7, 13}) {
      if (first + count > 200) continue;
      Tensor some(Shape{count, depth});
      some.matrix() = x.matrix().middleRows(first, count);
      CAPTURE(first, count);
      CHECK((product(some, map).matrix().array() == all.matrix().middleRows(first, count).array()).all());
    }
  }
}

TEST_CASE("stored numbers give the bits of the same numbers as floats", "[weight_product]") {
  const Tensor w = drawn(Shape{40, 24}, 6), x = drawn(Shape{9, 24}, 7);
  std::vector<std::byte> bytes(static_cast<std::size_t>(w.size()) * 2);
  Tensor rounded(w.shape());
  for (std::int64_t i = 0; i < w.size(); ++i) {
    const Eigen::bfloat16 value(w.data()[i]);
    std::memcpy(bytes.data() + i * 2, &value, 2);
    rounded.data()[i] = static_cast<float>(value);
  }
  LinearMap stored;
  stored.weight =
      StoredTensor(ElementType::BFloat16, w.shape(), bytes, std::make_shared<const MemoryOwner>());
  CHECK(product(x, stored) == product(x, map_of(rounded, WeightLayout::OutIn)));
}

TEST_CASE("every instruction set of this machine multiplies alike", "[weight_product]") {
  using namespace streaming;
  const Tensor x = drawn(Shape{11, 50}, 8), w = drawn(Shape{9, 50}, 9);
  const Tensor turned = transposed(w);
  const Eigen::MatrixXd expected = x.matrix().cast<double>() * w.matrix().cast<double>().transpose();
  int seen = 0;
  for (const InstructionSet set :
       {InstructionSet::Baseline, InstructionSet::Avx2, InstructionSet::Avx512, InstructionSet::Neon}) {
    const Kernels* kernels = kernels_for(set);
    if (kernels == nullptr) continue;
    INFO(kernels->name);
    Tensor y(Shape{11, 9});
    kernels->multiply_weights({{x.data(), 50}, {w.data(), 50}, 11, 9, 50, nullptr, y.data(), 9});
    CHECK((y.matrix().cast<double>() - expected).cwiseAbs().maxCoeff() < 1e-5);
    Tensor z(Shape{11, 9});
    kernels->multiply_columns({{x.data(), 50}, {turned.data(), 9}, 11, 9, 50, nullptr, z.data(), 9});
    CHECK((z.matrix().cast<double>() - expected).cwiseAbs().maxCoeff() < 1e-5);
    ++seen;
  }
  CHECK(seen > 0);
}

TEST_CASE("columns that are gathered have the bits of those read where they lie", "[weight_product]") {
  using namespace streaming;
  const auto [rows, depth, columns] = GENERATE(std::array{9, 50, 48}, std::array{37, 300, 150},
                                               std::array{8, 513, 96}, std::array{17, 256, 200});
  const Tensor x = drawn(Shape{rows, depth}, 10), w = drawn(Shape{depth, columns}, 11),
               bias = drawn(Shape{columns}, 12);
  for (const InstructionSet set :
       {InstructionSet::Baseline, InstructionSet::Avx2, InstructionSet::Avx512, InstructionSet::Neon}) {
    const Kernels* kernels = kernels_for(set);
    if (kernels == nullptr) continue;
    INFO(kernels->name << ", " << rows << " rows");
    const auto multiplied = [&](int first, int count, float* room, const float* coming) {
      Tensor y(Shape{count, columns});
      kernels->multiply_columns({{x.data() + first * depth, depth},
                                 {w.data(), columns},
                                 count,
                                 columns,
                                 depth,
                                 bias.data(),
                                 y.data(),
                                 columns,
                                 room,
                                 coming});
      return y;
    };
    ScratchPool pool(column_room());
    const Tensor gathered = multiplied(0, rows, ScratchLease(pool).data(), w.data());
    CHECK(gathered == multiplied(0, rows, nullptr, nullptr));
    for (int row = 0; row < rows; ++row)
      CHECK(multiplied(row, 1, nullptr, nullptr).matrix().row(0) == gathered.matrix().row(row));
    // Few rows, with sums of all columns in the room.
    for (const int count : {1, 2, 3, few_beside}) {
      ScratchPool sums(count * room_stride(columns));
      CHECK(multiplied(0, count, ScratchLease(sums).data(), nullptr).matrix() ==
            gathered.matrix().topRows(count));
    }
  }
}

namespace {

/// Every type that a file can have.
constexpr std::array types{
    ElementType::Float32, ElementType::BFloat16, ElementType::Float16, ElementType::Q8_0,
    ElementType::Q4_0,    ElementType::Q4_1,     ElementType::Q5_0,    ElementType::Q5_1,
    ElementType::Q4_K,    ElementType::Q5_K,     ElementType::Q6_K,    ElementType::Q2_K,
    ElementType::Q3_K,    ElementType::IQ1_S,    ElementType::IQ1_M,   ElementType::IQ2_XXS,
    ElementType::IQ2_XS,  ElementType::IQ2_S,    ElementType::IQ3_XXS, ElementType::IQ3_S,
    ElementType::IQ4_NL,  ElementType::IQ4_XS,   ElementType::TQ1_0,   ElementType::TQ2_0,
    ElementType::MXFP4,   ElementType::NVFP4};

/// Up to so many rows are multiplied by weights as they are stored.
int rows_as_stored(ElementType type) {
  if (type == ElementType::Float32 || type == ElementType::Float16) return 0;
  return type <= ElementType::Q6_K ? 1000 : 1;
}

}  // namespace

TEST_CASE("every instruction set widens stored numbers to the same bits", "[weight_product]") {
  using namespace streaming;
  for (const ElementType type : types) {
    const BlockSize block = block_of(type);
    const std::int64_t blocks = 1536 / block.elements + 3, count = blocks * block.elements;
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(blocks * block.bytes) + 1);
    for (std::size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = static_cast<std::uint8_t>(random_bits(13, stream_of("stored bytes"), i));
    const std::span<const std::uint8_t> odd = std::span(bytes).subspan(1);
    std::vector<float> expected(static_cast<std::size_t>(count));
    widen(type, std::as_bytes(odd), expected);
    for (const InstructionSet set :
         {InstructionSet::Baseline, InstructionSet::Avx2, InstructionSet::Avx512, InstructionSet::Neon}) {
      const Kernels* kernels = kernels_for(set);
      if (kernels == nullptr) continue;
      INFO(kernels->name << ", " << to_string(type));
      std::vector<float> found(static_cast<std::size_t>(count));
      kernels->widen(type, odd.data(), count, found.data());
      CHECK(different_bits(expected, found) == 0);
    }
  }
}

TEST_CASE("weights multiplied as they are stored have the bits of widening them first", "[weight_product]") {
  using namespace streaming;
  for (const ElementType type : types) {
    constexpr int depth = 768, columns = 23, most = 7;
    const BlockSize block = block_of(type);
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(depth * columns / block.elements * block.bytes) +
                                    1);
    for (std::size_t i = 0; i < bytes.size(); ++i)  // halves below 2, so that no sum overflows
      bytes[i] = static_cast<std::uint8_t>(random_bits(14, stream_of("stored bytes"), i) & 0xbf);
    const Tensor x = drawn(Shape{most, depth}, 15), bias = drawn(Shape{columns}, 16);
    for (const InstructionSet set :
         {InstructionSet::Baseline, InstructionSet::Avx2, InstructionSet::Avx512, InstructionSet::Neon}) {
      const Kernels* kernels = kernels_for(set);
      if (kernels == nullptr) continue;
      INFO(kernels->name << ", " << to_string(type));
      Tensor w(Shape{columns, depth});
      kernels->widen(type, bytes.data() + 1, w.size(), w.data());
      for (int rows = 1; rows <= most; ++rows) {
        Tensor y(Shape{rows, columns}), z(Shape{rows, columns});
        const bool done = kernels->multiply_stored({{x.data(), depth},
                                                    type,
                                                    bytes.data() + 1,
                                                    rows,
                                                    columns,
                                                    depth,
                                                    bias.data(),
                                                    y.data(),
                                                    columns});
        CHECK(done == (rows <= rows_as_stored(type)));
        if (!done) continue;
        kernels->multiply_weights(
            {{x.data(), depth}, {w.data(), depth}, rows, columns, depth, bias.data(), z.data(), columns});
        CHECK(different_bits({y.values().begin(), y.values().end()},
                             {z.values().begin(), z.values().end()}) == 0);
      }
    }
  }
}

TEST_CASE("products of sizes that do not fit are refused", "[weight_product]") {
  const Tensor x = drawn(Shape{2, 5}, 10);
  CHECK_THROWS_AS(product(x, map_of(drawn(Shape{3, 4}, 11), WeightLayout::OutIn)), Error);
}

}  // namespace attnscope::weight_product_test
