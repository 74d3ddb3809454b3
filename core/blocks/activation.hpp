// core/blocks: what stands between the two products of an MLP, whole rows at a time. One number, and
// backward: core/base/activation.hpp.
#pragma once

#include <optional>
#include <string_view>

#include "core/base/activation.hpp"
#include "core/base/parallel.hpp"
#include "core/base/tensor.hpp"

namespace attnscope {

/// By the names that config files have: "gelu", "gelu_new", "gelu_pytorch_tanh", "silu", "swish", "relu", ….
/// Nothing for others.
std::optional<Activation> activation_from(std::string_view name);

/// x = f(x) for every number. Throws Cancelled.
template <class T>
void activate_all(const Work&, Activation, MatrixMap<T> x);
/// A gated MLP's middle: gate = f(gate)·up (Shazeer 2020). Throws Cancelled.
template <class T>
void gate_all(const Work&, Activation, MatrixMap<T> gate, ConstMatrixMap<T> up);

}  // namespace attnscope
