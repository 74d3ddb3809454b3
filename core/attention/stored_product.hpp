// core/attention: products with weights as they are stored. A panel of columns is widened inside of the
// product, so that no more than a panel of each thread ever stands in memory as floats.
#pragma once

#include "core/base/parallel.hpp"
#include "core/base/stored_tensor.hpp"
#include "core/base/tensor.hpp"

namespace attnscope {

/// y = x·W + bias, [batch][rows][d_out], of x [batch][rows][d_in] and bias [d_out]; null: none. The same bits
/// as of W widened first and cut into the same panels, whatever the number of threads. Throws Error when the
/// sizes do not fit, or when the stored numbers cannot be read any more; Cancelled when the work is stopped.
Tensor stored_product(const Work&, const Tensor& x, const StoredTensor& w, WeightLayout layout,
                      const Tensor* bias = nullptr);

}  // namespace attnscope
