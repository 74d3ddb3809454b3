#include "core/blocks/activation.hpp"

#include <array>
#include <type_traits>
#include <utility>

#include "core/base/row_blocks.hpp"
#include "core/streaming/border/row_kernels.hpp"

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

/// Estimated time of one number.
template <class T>
constexpr double number_ns = std::is_same_v<T, float> ? 0.5 : 8;

}  // namespace

std::optional<Activation> activation_from(std::string_view name) {
  for (const auto& [known, activation] : config_names)
    if (known == name) return activation;
  return std::nullopt;
}

namespace activation {

/// A named namespace: lambdas in functions with external linkage hold it. x [count], in place; factor [count]
/// or null.
void pass(Activation activation, double* x, const double* factor, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i)
    x[i] = activate(activation, x[i]) * (factor == nullptr ? 1 : factor[i]);
}

void pass(Activation activation, float* x, const float* factor, std::int64_t count) {
  // The enumeration of the kernels has the same order.
  static_assert(static_cast<int>(Activation::Tanh) == static_cast<int>(streaming::ActivationKind::Tanh) &&
                static_cast<int>(Activation::Silu) == static_cast<int>(streaming::ActivationKind::Silu));
  streaming::row_kernels().activate(
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

template void activate_all(const Work&, Activation, MatrixMap<float>);
template void activate_all(const Work&, Activation, MatrixMap<double>);
template void gate_all(const Work&, Activation, MatrixMap<float>, ConstMatrixMap<float>);
template void gate_all(const Work&, Activation, MatrixMap<double>, ConstMatrixMap<double>);

}  // namespace attnscope
