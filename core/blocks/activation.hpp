// core/blocks: the activation functions of an MLP for whole rows. For single numbers, and backward, see
// core/base/activation.hpp.
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
template <class T>
void activate_all(const Work&, Activation, MatrixMap<T> x);
/// The gate of an MLP: gate = f(gate)·up (Shazeer 2020). Throws Cancelled.
template <class T>
void gate_all(const Work&, Activation, MatrixMap<T> gate, ConstMatrixMap<T> up);

}  // namespace attnscope
