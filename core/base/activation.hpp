// core/base: the functions that stand between the two products of an MLP, number by number, forward and
// backward side by side. Rows of them: core/blocks/activation.hpp.
#pragma once

#include <cstdint>
#include <string_view>

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

/// "GELU (tanh)", for people.
std::string_view name_of(Activation);

template <class T>
T activate(Activation, T x);
/// The derivative at x; 0 at the kink of Relu.
template <class T>
T activation_slope(Activation, T x);

}  // namespace attnscope
