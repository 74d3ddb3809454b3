// Operators on the emulated card, one by one: products with weights of every storage against double,
// activations against the CPU's.
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "core/base/random.hpp"
#include "gpu/rows_on_card.hpp"

namespace attnscope::card_products_test {
namespace {

using rows_on_card::Card;

Tensor drawn(Shape shape, std::uint64_t seed) {
  Tensor tensor(shape);
  for (std::int64_t i = 0; i < tensor.size(); ++i)
    tensor.data()[i] =
        static_cast<float>(random_normal(seed, stream_of("card rows"), static_cast<std::uint64_t>(i)));
  return tensor;
}

/// The numbers stored as 16 bits each.
template <class Number>
StoredTensor stored(ElementType type, const Tensor& numbers) {
  std::vector<float> bits(static_cast<std::size_t>((numbers.size() + 1) / 2));
  for (std::int64_t i = 0; i < numbers.size(); ++i) {
    const Number one(numbers.data()[i]);
    std::memcpy(reinterpret_cast<char*>(bits.data()) + 2 * i, &one, 2);
  }
  class Owner final : public MemoryOwner {
   public:
    explicit Owner(std::vector<float> numbers) : numbers(std::move(numbers)) {}
    std::vector<float> numbers;
  };
  const auto owner = std::make_shared<const Owner>(std::move(bits));
  const auto bytes = std::as_bytes(std::span(owner->numbers));
  return {type, numbers.shape(), bytes.first(static_cast<std::size_t>(numbers.size()) * 2), owner};
}

StoredTensor stored_as(ElementType type, const Tensor& numbers) {
  if (type == ElementType::BFloat16) return stored<Eigen::bfloat16>(type, numbers);
  if (type == ElementType::Float16) return stored<Eigen::half>(type, numbers);
  return StoredTensor(std::make_shared<const Tensor>(numbers));
}

/// Blocks of 32 numbers: a scale of 1/64 and whole numbers.
StoredTensor in_blocks(Shape shape) {
  class Owner final : public MemoryOwner {
   public:
    std::vector<std::byte> bytes;
  };
  const auto owner = std::make_shared<Owner>();
  const Eigen::half scale(1.0f / 64);
  for (std::int64_t block = 0; block < shape.count() / 32; ++block) {
    std::array<std::byte, 34> made{};
    std::memcpy(made.data(), &scale, 2);
    for (std::size_t i = 0; i < 32; ++i)
      made[2 + i] = static_cast<std::byte>((static_cast<std::size_t>(block) * 37 + i * 11) % 251);
    owner->bytes.insert(owner->bytes.end(), made.begin(), made.end());
  }
  return {ElementType::Q8_0, shape, owner->bytes, owner};
}

/// Rows in the computer's memory, multiplied on the card.
Tensor product(Card& card, const Tensor& x, const LinearMap& map) {
  Tensor y(Shape{x.shape()[0], map.d_out()});
  CHECK(card.rows->multiply_here(card.work(), {x.data(), x.shape()[0], x.shape()[1], x.shape()[1]}, map,
                                 {y.data(), y.shape()[0], y.shape()[1], y.shape()[1]}));
  return y;
}

/// The largest error beside double, in units of what rounding each product of a row to float may bring.
double error_of(const Tensor& y, const Tensor& x, const LinearMap& map) {
  const Tensor weights = map.weight.widened();
  Eigen::MatrixXd w = weights.matrix().cast<double>();
  if (map.layout == WeightLayout::OutIn) w.transposeInPlace();
  const Eigen::MatrixXd wide = x.matrix().cast<double>();
  Eigen::MatrixXd expected = wide * w, least = wide.cwiseAbs() * w.cwiseAbs();
  if (!map.bias.empty())
    expected.rowwise() += Eigen::Map<const Eigen::RowVectorXf>(map.bias.data(), map.d_out()).cast<double>();
  least.array() += 1e-3;
  return ((y.matrix().cast<double>() - expected).array().abs() / least.array()).maxCoeff() / 6e-8;
}

constexpr std::array types{ElementType::Float32, ElementType::BFloat16, ElementType::Float16};

}  // namespace

TEST_CASE("the card's products equal those in double, whatever stores the weights", "[card_rows]") {
  Card card;
  for (const auto& [rows, depth, columns] :
       {std::array{1, 8, 1}, std::array{5, 24, 3}, std::array{33, 130, 17}})
    for (const ElementType type : types)
      for (const WeightLayout layout : {WeightLayout::OutIn, WeightLayout::InOut}) {
        CAPTURE(rows, depth, columns, to_string(type), layout == WeightLayout::OutIn);
        const bool out_in = layout == WeightLayout::OutIn;
        const Tensor x = drawn({rows, depth}, 1), b = drawn({columns}, 3);
        LinearMap map{
            stored_as(type, drawn(out_in ? Shape{columns, depth} : Shape{depth, columns}, 2)), layout, {}};
        CHECK(error_of(product(card, x, map), x, map) < depth / 4.0 + 4);
        const LinearMap biased{
            stored_as(type, map.weight.widened()), layout, {b.values().begin(), b.values().end()}};
        CHECK(error_of(product(card, x, biased), x, biased) < depth / 4.0 + 4);
      }
  const LinearMap map{in_blocks({6, 64}), WeightLayout::OutIn, {}};
  const Tensor x = drawn({4, 64}, 4);
  CHECK(error_of(product(card, x, map), x, map) < 20);
}

TEST_CASE("rows of any size keep their bits in products with 16-bit weights", "[card_rows]") {
  Card card;
  Tensor x = drawn({6, 40}, 5);
  for (std::int64_t row = 0; row < 6; ++row)  // 2^-100, 2^-60, … 2^100
    x.matrix().row(row) *= std::ldexp(1.0f, static_cast<int>(row) * 40 - 100);
  for (const ElementType type : {ElementType::BFloat16, ElementType::Float16}) {
    CAPTURE(to_string(type));
    const LinearMap map{stored_as(type, drawn({9, 40}, 6)), WeightLayout::OutIn, {}};
    const Tensor y = product(card, x, map);
    for (std::int64_t row = 0; row < 6; ++row) {
      const Eigen::RowVectorXd wide = x.matrix().row(row).cast<double>();
      const Eigen::MatrixXd w = map.weight.widened().matrix().cast<double>();
      const Eigen::RowVectorXd expected = wide * w.transpose(),
                               least = wide.cwiseAbs() * w.cwiseAbs().transpose();
      CHECK(((y.matrix().row(row).cast<double>() - expected).array().abs() / least.array()).maxCoeff() <
            1e-6);
    }
  }
  x.matrix().setZero();
  const LinearMap map{stored_as(ElementType::Float16, drawn({9, 40}, 6)), WeightLayout::OutIn, {}};
  CHECK(product(card, x, map) == Tensor(Shape{6, 9}));
  x.data()[3] = std::numeric_limits<float>::quiet_NaN();
  const Tensor y = product(card, x, map);
  CHECK(std::isnan(y.data()[0]));
  CHECK(y.data()[9] == 0);
}

TEST_CASE("every activation of a card is that of the CPU, gated or not", "[card_rows]") {
  Card card;
  std::vector<float> x{0.0f, -0.0f, 60.0f, -60.0f, std::numeric_limits<float>::quiet_NaN()}, up;
  for (int i = -120; i <= 120; ++i) x.push_back(static_cast<float>(i) / 10);
  while (x.size() % 2 != 0) x.push_back(0.3f);
  for (std::size_t i = 0; i < x.size(); ++i) up.push_back(static_cast<float>(i % 7) - 2.5f);
  const auto width = std::ssize(x) / 2;
  const Work work = card.work();
  const FloatRows there = card.rows->make(RowBuffer::Inner, 2, width),
                  other = card.rows->make(RowBuffer::Up, 2, width);
  for (const Activation activation :
       {Activation::Identity, Activation::Gelu, Activation::GeluTanh, Activation::QuickGelu, Activation::Relu,
        Activation::ReluSquared, Activation::Silu, Activation::Tanh})
    for (const bool gated : {false, true}) {
      CAPTURE(name_of(activation), gated);
      std::vector<float> y(x.size());
      card.rows->bring(work, {x.data(), 2, width, width}, there);
      card.rows->bring(work, {up.data(), 2, width, width}, other);
      if (gated)
        card.rows->gate(work, activation, there, other);
      else
        card.rows->activate(work, activation, there);
      card.rows->fetch(work, there, {y.data(), 2, width, width});
      for (std::size_t i = 0; i < x.size(); ++i) {
        CAPTURE(x[i]);
        const double expected =
            activate(activation, static_cast<double>(x[i])) * (gated ? static_cast<double>(up[i]) : 1);
        if (std::isnan(x[i]))
          CHECK(std::isnan(y[i]));
        else  // what is left of a number far below 0 is as exact as its exponent
          CHECK(std::abs(static_cast<double>(y[i]) - expected) <= 2e-6 * std::abs(expected) + 1e-9);
      }
    }
}

TEST_CASE("products too small for a card stay on the CPU", "[card_rows]") {
  Card card(gpu::CardSettings{});
  const Tensor x = drawn({2, 64}, 1);
  const LinearMap map{stored_as(ElementType::Float32, drawn({64, 64}, 2)), WeightLayout::OutIn, {}};
  Tensor y(Shape{2, 64});
  CHECK_FALSE(card.rows->multiply_here(card.work(), {x.data(), 2, 64, 64}, map, {y.data(), 2, 64, 64}));
  CHECK(card.device->uploaded() == 0);
}

}  // namespace attnscope::card_products_test
