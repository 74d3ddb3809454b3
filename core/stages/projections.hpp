// core/stages: the learned matrices. Each token's vector becomes queries, keys and values, one slice per
// head, and the heads' results become one vector again.
#pragma once

#include <cstdint>

#include "core/parallel.hpp"
#include "core/tensor.hpp"

namespace attnscope {

/// Query, Key, Value: x·W + b, split per head (Vaswani et al. 2017, 3.2.2: head h uses columns h·d … (h+1)·d
/// of W). x [batch][tokens][d_in], w [d_in][heads * d], bias [heads * d] or null; the result is
/// [batch][heads][tokens][d].
template <class T>
TensorOf<T> project(const Work&, const TensorOf<T>& x, const TensorOf<T>& w, const TensorOf<T>* bias,
                    std::int64_t heads);

/// Concat: the heads side by side. mixed [batch][heads][queries][d_v]; the result is [batch][queries][heads *
/// d_v].
template <class T>
TensorOf<T> concat(const Work&, const TensorOf<T>& mixed);

/// Output: Y = C·W_O + b_O. concatenated [batch][queries][d_in], w [d_in][d_model], bias [d_model] or null;
/// the result is [batch][queries][d_model].
template <class T>
TensorOf<T> output(const Work&, const TensorOf<T>& concatenated, const TensorOf<T>& w,
                   const TensorOf<T>* bias);

}  // namespace attnscope
