// core/blocks: the activation functions of a model's MLP for whole rows, computed by the streaming kernels.
// For layers, in float and double, and backward, see core/base/activation.hpp.
#pragma once

#include <optional>
#include <string_view>

#include "core/base/activation.hpp"
#include "core/base/parallel.hpp"
#include "core/base/tensor.hpp"

namespace attnscope {

/// By the name in config files: "gelu", "gelu_new", "gelu_pytorch_tanh", "silu", "swish", "relu", …; nullopt
/// for other names.
std::optional<Activation> activation_from(std::string_view name);

/// x = f(x) for every number. Throws Cancelled.
void activate_all(const Work&, Activation, MatrixMap<float> x);
/// The gate of an MLP: gate = f(gate)·up (Shazeer 2020). Throws Cancelled.
void gate_all(const Work&, Activation, MatrixMap<float> gate, ConstMatrixMap<float> up);

}  // namespace attnscope
