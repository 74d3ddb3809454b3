// Activations against naive ones in double, their slopes against finite differences.
#include "core/blocks/activation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <catch2/catch_test_macros.hpp>

#include "oracle/blocks.hpp"

namespace attnscope::activation_test {

TEST_CASE("activations equal the naive ones in double", "[activation]") {
  for (double x = -12; x <= 12; x += 0.03125) {
    CAPTURE(x);
    const auto f = static_cast<float>(x);
    const double tolerance = 2.5e-7 * std::max(4.0, std::abs(x));
    // Two roundings of the result. Where GELU is next to nothing its float form 1 + erf cancels: absolute, as
    // x·Φ(x) is added to others.
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
  gate_all<float>(Work{pool, {}}, Activation::Silu, gate.matrix(), std::as_const(up).matrix());
  for (int i = 0; i < 15; ++i)
    CHECK(gate.data()[i] == activate(Activation::Silu, before.data()[i]) * up.data()[i]);
}

}  // namespace attnscope::activation_test
