// core/attention: the loss of the layer's output, and its gradient.
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
/// where G is `given`, or the token vectors of the queries, which are the last rows of x
/// [batch][tokens][d_model], or zeros without x. `output` is Y [batch][queries][d_model]; `given` has its
/// shape; `given` and `x` may be null.
template <class T>
LossRun<T> differentiate_loss(const Loss&, const TensorOf<T>& output, const TensorPtrOf<T>& given,
                              const TensorPtrOf<T>& x);

}  // namespace attnscope
