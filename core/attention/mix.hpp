// core/attention: the weighted sums of the values.
#pragma once

#include "core/base/parallel.hpp"
#include "core/base/tensor.hpp"

namespace attnscope {

/// Mix: A·V per head. weights [batch][heads][queries][keys], value [batch][kv heads][keys][d_v]; the result
/// is [batch][heads][queries][d_v].
template <class T>
TensorOf<T> mix(const Work&, const TensorOf<T>& weights, const TensorOf<T>& value);

template <class T>
struct MixGradients {
  TensorOf<T> weights, value;  // [batch][heads][queries][keys], [batch][kv heads][keys][d_v]
};
/// Backward of mix(), Z = A·V: dA = dZ·Vᵀ and dV = Σ Aᵀ·dZ over the query heads that share V. d_mixed
/// [batch][heads][queries][d_v].
template <class T>
MixGradients<T> mix_backward(const Work&, const TensorOf<T>& weights, const TensorOf<T>& value,
                             const TensorOf<T>& d_mixed);

}  // namespace attnscope
