// core/base: a dense layer, y = x·W + b for every row of every sequence, forward and backward side by side.
// With weights as a model's file stores them: core/blocks/weight_product.hpp.
#pragma once

#include "core/base/parallel.hpp"
#include "core/base/tensor.hpp"

namespace attnscope {

/// x [batch][rows][d_in], w [d_in][d_out], bias [d_out] or null; the result is [batch][rows][d_out]. Throws
/// Cancelled.
template <class T>
TensorOf<T> dense(const Work&, const TensorOf<T>& x, const TensorOf<T>& w, const TensorOf<T>* bias);

template <class T>
struct DenseGradients {
  TensorOf<T> x, w, bias;  // [batch][rows][d_in], [d_in][d_out], [d_out]
};
/// Backward of dense(): dx = dy·Wᵀ, dW = Σ xᵀ·dy and db = Σ dy over the batch. d_y [batch][rows][d_out].
template <class T>
DenseGradients<T> dense_backward(const TensorOf<T>& x, const TensorOf<T>& w, const TensorOf<T>& d_y);

}  // namespace attnscope
