#include "core/base/activation.hpp"

#include <cmath>
#include <numbers>

namespace attnscope {
namespace {

template <class T>
T sigmoid(T x) {
  return 1 / (1 + std::exp(-x));
}

template <class T>
T tanh_argument(T x) {
  constexpr T factor = std::numbers::sqrt2_v<T> * std::numbers::inv_sqrtpi_v<T>;  // √(2/π)
  return factor * (x + T(0.044715) * x * x * x);
}

}  // namespace

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
    // Φ(x) = erfc(-x/√2) / 2 and (1 + tanh u) / 2 = σ(2u): no cancellation where x is far below 0.
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

template float activate(Activation, float);
template double activate(Activation, double);
template float activation_slope(Activation, float);
template double activation_slope(Activation, double);

}  // namespace attnscope
