// core/transformer/positions: sines and cosines of the position (Vaswani et al. 2017, section 3.5).
#pragma once

#include <cmath>
#include <cstdint>

#include "core/base/tensor.hpp"

namespace attnscope {

/// ω_i = 10000^(-2i/d): radians per token of the i-th sine and cosine among d position dimensions.
inline double position_frequency(int i, int d) { return std::pow(10000.0, -2.0 * i / d); }

/// P(t, 2i) = sin(ω_i t), P(t, 2i+1) = cos(ω_i t) is added to the dimensions of x [batch][tokens][d_model]
/// from `first` on. Constants: gradients end here.
template <class T>
void add_sinusoids(TensorOf<T>& x, std::int64_t first);

}  // namespace attnscope
