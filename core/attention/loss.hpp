// core/attention: what the loss makes of the layer's output, and where its gradients begin.
#pragma once

#include "core/base/tensor.hpp"
#include "core/document/settings.hpp"

namespace attnscope {

template <class T>
struct LossRun {
  double loss = 0;
  TensorOf<T> d_output;  // d loss / d Y, in the shape of Y
};
/// Sum: Σ Y·G, so dY = G, where G is `given`, or ones. MeanSquared: mean (Y - G)², so dY = 2 (Y - G) / count,
/// where G is `given`, or what the queries were made of: the last rows of x [batch][tokens][d_model], or
/// zeros without x. `output` is Y [batch][queries][d_model]; `given` has its shape; both others may be null.
template <class T>
LossRun<T> differentiate_loss(const Loss&, const TensorOf<T>& output, const TensorPtrOf<T>& given,
                              const TensorPtrOf<T>& x);

}  // namespace attnscope
