// core/stages: from scores to attention weights, and what the weights mix.
#pragma once

#include <span>

#include "core/parallel.hpp"
#include "core/tensor.hpp"

namespace attnscope {

/// What the softmax of a row is made of: weights = exp((x - largest) / temperature) / sum.
struct RowSum {
  double largest = 0;  // -inf when every value of the row is: then sum and weights are 0
  double sum = 0;
};

/// One row. The largest value is subtracted first, so nothing overflows; -inf becomes exactly 0; a NaN or
/// +inf makes the whole row NaN, as the formula has it. A row of nothing but -inf becomes zeros. Float:
/// relative error of a weight below 1e-6 (see row_math.hpp).
template <class T>
RowSum softmax_row(std::span<const T> masked, T temperature, std::span<T> weights);

/// Softmax: A = softmax(M / temperature) along the keys (Vaswani et al. 2017, 3.2.1, with the temperature of
/// Hinton et al. 2015). masked [batch][heads][queries][keys]; same shape.
template <class T>
TensorOf<T> softmax(const Work&, const TensorOf<T>& masked, T temperature);

/// Mix: A·V per head. weights [batch][heads][queries][keys], value [batch][kv heads][keys][d_v]; the result
/// is [batch][heads][queries][d_v].
template <class T>
TensorOf<T> mix(const Work&, const TensorOf<T>& weights, const TensorOf<T>& value);

}  // namespace attnscope
