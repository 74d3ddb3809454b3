// core/blocks: what stands between the two products of an MLP, forward and backward side by side.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/base/parallel.hpp"
#include "core/base/tensor.hpp"

namespace attnscope {

enum class Activation : std::uint8_t {
  Identity,     // x
  Gelu,         // x·Φ(x), Φ the normal distribution (Hendrycks and Gimpel 2016)
  GeluTanh,     // x/2·(1 + tanh(√(2/π)·(x + 0.044715·x³))), the approximation of the same paper
  QuickGelu,    // x·σ(1.702·x), the other one
  Relu,         // max(x, 0)
  ReluSquared,  // max(x, 0)² (So et al. 2021)
  Silu,         // x·σ(x) (Elfwing et al. 2017)
  Tanh,
};

/// By the names that config files have: "gelu", "gelu_new", "gelu_pytorch_tanh", "silu", "swish", "relu", ….
/// Nothing for others.
std::optional<Activation> activation_from(std::string_view name);
/// "GELU (tanh)", for people.
std::string_view name_of(Activation);

template <class T>
T activate(Activation, T x);
/// The derivative at x; 0 at the kink of Relu.
template <class T>
T activation_slope(Activation, T x);

/// x = f(x) for every number. Throws Cancelled.
template <class T>
void activate_all(const Work&, Activation, MatrixMap<T> x);
/// A gated MLP's middle: gate = f(gate)·up (Shazeer 2020). Throws Cancelled.
template <class T>
void gate_all(const Work&, Activation, MatrixMap<T> gate, ConstMatrixMap<T> up);

}  // namespace attnscope
