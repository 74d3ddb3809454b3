// core/attention: products with weights as they are stored. Panels of columns are widened inside the product,
// so that each thread holds only one panel as floats.
#pragma once

#include "core/base/parallel.hpp"
#include "core/base/stored_tensor.hpp"
#include "core/base/tensor.hpp"

namespace attnscope {

/// y = x·W + bias, [batch][rows][d_out], with x [batch][rows][d_in] and bias [d_out] or null. The same bits
/// as if W were widened first and cut into the same panels, for any number of threads. Throws Error when the
/// sizes do not fit or when the stored numbers can no longer be read; Cancelled when the work is stopped.
Tensor stored_product(const Work&, const Tensor& x, const StoredTensor& w, WeightLayout layout,
                      const Tensor* bias = nullptr);

}  // namespace attnscope
