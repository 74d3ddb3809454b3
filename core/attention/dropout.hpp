// core/attention: dropout of attention weights, the same in every run.
#pragma once

#include <cstdint>

#include "core/base/parallel.hpp"
#include "core/base/tensor.hpp"
#include "core/document/settings.hpp"

namespace attnscope {

/// Drop: inverted dropout. Every weight becomes 0 with probability `rate`; the others are multiplied by 1 /
/// (1 - rate). The choice depends on the seed and the index alone. Same shape.
template <class T>
TensorOf<T> drop(const Work&, const TensorOf<T>& weights, const Dropout& dropout);
/// Whether dropout keeps weight number `index` of the tensor.
bool keeps(const Dropout& dropout, std::int64_t index);

/// Backward of drop(), D = A ∘ keep / (1 - rate), in place: dA = dD ∘ keep / (1 - rate).
template <class T>
void drop_backward(const Work&, const Dropout& dropout, TensorOf<T>& gradient);

}  // namespace attnscope
