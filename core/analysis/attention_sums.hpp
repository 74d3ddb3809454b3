// core/analysis: sums over the rows and columns of attention that are not stages: log-sum-exp, entropy and
// attention received, in the scalar type of the stages. For tensors that are written to files without the
// other measures of a row. And the means of a picture's columns.
#pragma once

#include <vector>

#include "core/base/tensor.hpp"

namespace attnscope {

template <class T>
struct AttentionSums {
  TensorOf<T> log_sum_exp;  // [batch][heads][queries]; -inf where no key is allowed
  TensorOf<T> entropy;      // the same shape, in nats, of softmax(masked scores); 0 where no key is allowed
  TensorOf<T> received;     // [batch][heads][keys]: the weights' sum over the queries
};

/// Takes masked scores, read at temperature 1, and weights, both [batch][heads][queries][keys]. Sums in
/// double; computes the entropy in the centred form, as core/analysis/measures.hpp does.
template <class T>
AttentionSums<T> attention_sums(const TensorOf<T>& masked, const TensorOf<T>& weights);

/// The mean of every column, added up from the first row to the last; empty without rows.
std::vector<float> column_means(const ConstMatrixMap<float>& values);

}  // namespace attnscope
