// core/stages: what the attention weights mix.
#pragma once

#include "core/parallel.hpp"
#include "core/tensor.hpp"

namespace attnscope {

/// Mix: A·V per head. weights [batch][heads][queries][keys], value [batch][kv heads][keys][d_v]; the result
/// is [batch][heads][queries][d_v].
template <class T>
TensorOf<T> mix(const Work&, const TensorOf<T>& weights, const TensorOf<T>& value);

}  // namespace attnscope
