#include "core/blocks/activation.hpp"

#include <array>
#include <cmath>
#include <numbers>
#include <type_traits>
#include <utility>

#include "core/base/row_blocks.hpp"
#include "core/streaming/drive.hpp"

namespace attnscope {
namespace {

constexpr auto config_names = std::to_array<std::pair<std::string_view, Activation>>({
    {"linear", Activation::Identity},
    {"gelu", Activation::Gelu},
    {"gelu_python", Activation::Gelu},
    {"gelu_new", Activation::GeluTanh},
    {"gelu_pytorch_tanh", Activation::GeluTanh},
    {"gelu_fast", Activation::GeluTanh},
    {"quick_gelu", Activation::QuickGelu},
    {"relu", Activation::Relu},
    {"relu2", Activation::ReluSquared},
    {"silu", Activation::Silu},
    {"swish", Activation::Silu},
    {"tanh", Activation::Tanh},
});

template <class T>
T sigmoid(T x) {
  return 1 / (1 + std::exp(-x));
}

template <class T>
T tanh_argument(T x) {
  constexpr T factor = std::numbers::sqrt2_v<T> * std::numbers::inv_sqrtpi_v<T>;  // √(2/π)
  return factor * (x + T(0.044715) * x * x * x);
}

/// A guess at one number.
template <class T>
constexpr double number_ns = std::is_same_v<T, float> ? 0.5 : 8;

}  // namespace

std::optional<Activation> activation_from(std::string_view name) {
  for (const auto& [known, activation] : config_names)
    if (known == name) return activation;
  return std::nullopt;
}

std::string_view name_of(Activation activation) {
  switch (activation) {
    case Activation::Identity: return "none";
    case Activation::Gelu: return "GELU";
    case Activation::GeluTanh: return "GELU (tanh)";
    case Activation::QuickGelu: return "GELU (sigmoid)";
    case Activation::Relu: return "ReLU";
    case Activation::ReluSquared: return "ReLU²";
    case Activation::Silu: return "SiLU";
    case Activation::Tanh: return "tanh";
  }
  return {};
}

template <class T>
T activate(Activation activation, T x) {
  switch (activation) {
    case Activation::Identity: return x;
    // Φ(x) = erfc(-x/√2) / 2 and (1 + tanh u) / 2 = σ(2u): nothing cancels where x is far below 0.
    case Activation::Gelu: return x / 2 * std::erfc(-x / std::numbers::sqrt2_v<T>);
    case Activation::GeluTanh: return x * sigmoid(2 * tanh_argument(x));
    case Activation::QuickGelu: return x * sigmoid(T(1.702) * x);
    case Activation::Relu: return x < 0 ? 0 : x;  // NaN stays
    case Activation::ReluSquared: return x < 0 ? 0 : x * x;
    case Activation::Silu: return x * sigmoid(x);
    case Activation::Tanh: return std::tanh(x);
  }
  return x;
}

template <class T>
T activation_slope(Activation activation, T x) {
  const auto of_sigmoid = [x](T factor) {
    const T s = sigmoid(factor * x);
    return s + factor * x * s * (1 - s);
  };
  switch (activation) {
    case Activation::Identity: return 1;
    case Activation::Gelu: {
      const T density = std::exp(-x * x / 2) * std::numbers::inv_sqrtpi_v<T> / std::numbers::sqrt2_v<T>;
      return (1 + std::erf(x / std::numbers::sqrt2_v<T>)) / 2 + x * density;
    }
    case Activation::GeluTanh: {
      const T t = std::tanh(tanh_argument(x));
      const T inner =
          std::numbers::sqrt2_v<T> * std::numbers::inv_sqrtpi_v<T> * (1 + 3 * T(0.044715) * x * x);
      return (1 + t) / 2 + x / 2 * (1 - t * t) * inner;
    }
    case Activation::QuickGelu: return of_sigmoid(T(1.702));
    case Activation::Relu: return x <= 0 ? 0 : 1;
    case Activation::ReluSquared: return x <= 0 ? 0 : 2 * x;
    case Activation::Silu: return of_sigmoid(1);
    case Activation::Tanh: {
      const T t = std::tanh(x);
      return 1 - t * t;
    }
  }
  return 1;
}

namespace activation {

/// Not anonymous: lambdas of functions that others link hold it. x [count], in place; factor: as many, or
/// null.
void pass(Activation activation, double* x, const double* factor, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i)
    x[i] = activate(activation, x[i]) * (factor == nullptr ? 1 : factor[i]);
}

void pass(Activation activation, float* x, const float* factor, std::int64_t count) {
  // The kernels have them in the same order.
  static_assert(static_cast<int>(Activation::Tanh) == static_cast<int>(streaming::ActivationKind::Tanh) &&
                static_cast<int>(Activation::Silu) == static_cast<int>(streaming::ActivationKind::Silu));
  streaming::chosen(nullptr).activate(
      {static_cast<streaming::ActivationKind>(static_cast<int>(activation)), x, factor, count});
}

}  // namespace activation

template <class T>
void activate_all(const Work& work, Activation activation, MatrixMap<T> x) {
  const std::int64_t d = x.cols();
  for_row_blocks(work, 1, 1, x.rows(), static_cast<double>(d) * number_ns<T>, [&](const RowBlock& at) {
    activation::pass(activation, x.data() + at.first * d, static_cast<const T*>(nullptr), at.count * d);
  });
}

template <class T>
void gate_all(const Work& work, Activation activation, MatrixMap<T> gate, ConstMatrixMap<T> up) {
  const std::int64_t d = gate.cols();
  for_row_blocks(work, 1, 1, gate.rows(), static_cast<double>(d) * number_ns<T>, [&](const RowBlock& at) {
    activation::pass(activation, gate.data() + at.first * d, up.data() + at.first * d, at.count * d);
  });
}

template float activate(Activation, float);
template double activate(Activation, double);
template float activation_slope(Activation, float);
template double activation_slope(Activation, double);
template void activate_all(const Work&, Activation, MatrixMap<float>);
template void activate_all(const Work&, Activation, MatrixMap<double>);
template void gate_all(const Work&, Activation, MatrixMap<float>, ConstMatrixMap<float>);
template void gate_all(const Work&, Activation, MatrixMap<double>, ConstMatrixMap<double>);

}  // namespace attnscope
