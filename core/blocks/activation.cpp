#include "core/blocks/activation.hpp"

#include <array>
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

constexpr double number_ns = 0.5;  // estimated

/// x = f(x), times `factor` if there is one; both [count].
void run_kernel(Activation activation, float* x, const float* factor, std::int64_t count) {
  // The enumeration of the kernels has the same order.
  static_assert(static_cast<int>(Activation::Tanh) == static_cast<int>(streaming::ActivationKind::Tanh) &&
                static_cast<int>(Activation::Silu) == static_cast<int>(streaming::ActivationKind::Silu));
  streaming::row_kernels().activate(
      {static_cast<streaming::ActivationKind>(static_cast<int>(activation)), x, factor, count});
}

}  // namespace

std::optional<Activation> activation_from(std::string_view name) {
  for (const auto& [known, activation] : config_names)
    if (known == name) return activation;
  return std::nullopt;
}

void activate_all(const Work& work, Activation activation, MatrixMap<float> x) {
  const std::int64_t d = x.cols();
  for_row_blocks(work, 1, 1, x.rows(), static_cast<double>(d) * number_ns, [&](const RowBlock& at) {
    run_kernel(activation, x.data() + at.first * d, nullptr, at.count * d);
  });
}

void gate_all(const Work& work, Activation activation, MatrixMap<float> gate, ConstMatrixMap<float> up) {
  const std::int64_t d = gate.cols();
  for_row_blocks(work, 1, 1, gate.rows(), static_cast<double>(d) * number_ns, [&](const RowBlock& at) {
    run_kernel(activation, gate.data() + at.first * d, up.data() + at.first * d, at.count * d);
  });
}

}  // namespace attnscope
