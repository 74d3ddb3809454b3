// Activations against naive ones in double, their slopes against finite differences.
#include "core/blocks/activation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "core/streaming/border/instruction_sets.hpp"
#include "core/streaming/kernels/kernels.hpp"
#include "oracle/blocks.hpp"

namespace attnscope::activation_test {

TEST_CASE("activations equal the naive ones in double", "[activation]") {
  for (double x = -12; x <= 12; x += 0.03125) {
    CAPTURE(x);
    const auto f = static_cast<float>(x);
    const double tolerance = 2.5e-7 * std::max(4.0, std::abs(x));
    // Two roundings of the result. Where GELU is nearly 0 its float form 1 + erf cancels: the tolerance is
    // absolute, since x·Φ(x) is added to other numbers.
    CHECK(std::abs(static_cast<double>(activate(Activation::Gelu, f)) - oracle::gelu(x)) < tolerance);
    CHECK(std::abs(static_cast<double>(activate(Activation::GeluTanh, f)) - oracle::gelu_tanh(x)) <
          tolerance);
    CHECK(std::abs(static_cast<double>(activate(Activation::Silu, f)) - oracle::silu(x)) < tolerance);
    CHECK(std::abs(activate(Activation::Gelu, x) - oracle::gelu(x)) < 1e-14);
    CHECK(std::abs(activate(Activation::GeluTanh, x) - oracle::gelu_tanh(x)) < 1e-14);
    CHECK(std::abs(activate(Activation::Silu, x) - oracle::silu(x)) < 1e-14);
    CHECK(std::abs(activate(Activation::QuickGelu, x) - oracle::silu(1.702 * x) / 1.702) < 1e-14);
    CHECK(activate(Activation::Relu, x) == (x > 0 ? x : 0));
    CHECK(activate(Activation::ReluSquared, x) == (x > 0 ? x * x : 0));
    CHECK(activate(Activation::Identity, x) == x);
  }
  for (const Activation activation :
       {Activation::Gelu, Activation::GeluTanh, Activation::Relu, Activation::Silu})
    CHECK(std::isnan(activate(activation, std::numeric_limits<float>::quiet_NaN())));
}

TEST_CASE("every instruction set's activations equal the naive ones in double", "[activation]") {
  std::vector<float> numbers{0.0f, -0.0f, 1e-30f, -1e-30f};
  for (double x = -13; x <= 13; x += 0.0137) numbers.push_back(static_cast<float>(x));
  for (const auto set : {streaming::InstructionSet::Baseline, streaming::InstructionSet::Avx2,
                         streaming::InstructionSet::Avx512, streaming::InstructionSet::Neon}) {
    const streaming::Kernels* const kernels = streaming::kernels_for(set);
    if (kernels == nullptr) continue;
    CAPTURE(kernels->name);
    const auto check = [&](streaming::ActivationKind kind, Activation activation) {
      CAPTURE(name_of(activation));
      std::vector<float> found = numbers;
      kernels->activate({kind, found.data(), nullptr, std::ssize(found)});
      for (std::size_t i = 0; i < found.size(); ++i) {
        const auto x = static_cast<double>(numbers[i]);
        const double expected = activate(activation, x);
        // A few roundings; that of the exponent, x² / 2 or 0.07 |x|³, counts in the tails.
        const double size = std::abs(x);
        const double tolerance =
            (6e-7 + 1.2e-7 * size * size + 2e-8 * size * size * size) * std::abs(expected) + 1e-37;
        CAPTURE(x, expected, found[i]);
        CHECK(std::abs(static_cast<double>(found[i]) - expected) <= tolerance);
      }
      // At any place, and beside any others, the same bits.
      for (const std::size_t first : {0u, 1u, 5u, 17u}) {
        std::vector<float> some(numbers.begin() + static_cast<std::ptrdiff_t>(first), numbers.begin() + 40);
        kernels->activate({kind, some.data(), nullptr, std::ssize(some)});
        CHECK(std::equal(some.begin(), some.end(), found.begin() + static_cast<std::ptrdiff_t>(first)));
      }
      float nan = std::numeric_limits<float>::quiet_NaN();
      kernels->activate({kind, &nan, nullptr, 1});
      CHECK(std::isnan(nan));
    };
    check(streaming::ActivationKind::Identity, Activation::Identity);
    check(streaming::ActivationKind::Gelu, Activation::Gelu);
    check(streaming::ActivationKind::GeluTanh, Activation::GeluTanh);
    check(streaming::ActivationKind::QuickGelu, Activation::QuickGelu);
    check(streaming::ActivationKind::Relu, Activation::Relu);
    check(streaming::ActivationKind::ReluSquared, Activation::ReluSquared);
    check(streaming::ActivationKind::Silu, Activation::Silu);
    check(streaming::ActivationKind::Tanh, Activation::Tanh);
  }
}

TEST_CASE("slopes of activations equal finite differences", "[activation]") {
  constexpr std::array all{Activation::Identity,  Activation::Gelu, Activation::GeluTanh,
                           Activation::QuickGelu, Activation::Relu, Activation::ReluSquared,
                           Activation::Silu,      Activation::Tanh};
  for (const Activation activation : all) {
    CAPTURE(name_of(activation));
    for (double x = -5.01; x < 5; x += 0.1) {  // beside the kink
      constexpr double step = 1e-6;
      const double slope = (activate(activation, x + step) - activate(activation, x - step)) / (2 * step);
      CHECK(std::abs(slope - activation_slope(activation, x)) < 1e-8);
    }
  }
}

TEST_CASE("activations are found by the names of config files, and no others", "[activation]") {
  CHECK(activation_from("gelu") == Activation::Gelu);
  CHECK(activation_from("gelu_new") == Activation::GeluTanh);
  CHECK(activation_from("gelu_pytorch_tanh") == Activation::GeluTanh);
  CHECK(activation_from("silu") == Activation::Silu);
  CHECK(activation_from("swish") == Activation::Silu);
  CHECK(activation_from("relu2") == Activation::ReluSquared);
  CHECK_FALSE(activation_from("mish"));
  CHECK_FALSE(activation_from(""));
}

TEST_CASE("a gated middle is the activated gate times the other rows", "[activation]") {
  ThreadPool pool(2);
  Tensor gate(Shape{3, 5}), up(Shape{3, 5});
  for (int i = 0; i < 15; ++i) {
    gate.data()[i] = 0.3f * static_cast<float>(i) - 2;
    up.data()[i] = 1.5f - 0.2f * static_cast<float>(i);
  }
  const Tensor before = gate;
  gate_all(Work{pool, {}}, Activation::Silu, gate.matrix(), std::as_const(up).matrix());
  for (int i = 0; i < 15; ++i) {
    const double expected =
        activate(Activation::Silu, static_cast<double>(before.data()[i])) * static_cast<double>(up.data()[i]);
    CHECK(std::abs(static_cast<double>(gate.data()[i]) - expected) <= 4e-7 * std::abs(expected));
  }
}

}  // namespace attnscope::activation_test
