// core/analysis: what of attention's rows and columns is no stage of its own, in the scalar type that the
// stages were computed in: for tensors that are written, where a row's other measures are not asked for.
#pragma once

#include "core/base/tensor.hpp"

namespace attnscope {

template <class T>
struct AttentionSums {
  TensorOf<T> log_sum_exp;  // [batch][heads][queries]; -inf where no key is allowed
  TensorOf<T> entropy;   // likewise, in nats, of the softmax of the masked scores; 0 where no key is allowed
  TensorOf<T> received;  // [batch][heads][keys]: the weights' sum over the queries
};

/// Of masked scores at temperature 1 and of weights, both [batch][heads][queries][keys]. Everything is summed
/// in double; the entropy in the centred form, as in core/analysis/measures.hpp.
template <class T>
AttentionSums<T> attention_sums(const TensorOf<T>& masked, const TensorOf<T>& weights);

}  // namespace attnscope
