// core/blocks: the linear maps of a model, with weights in the storage type of their file.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/parallel.hpp"
#include "core/base/stored_tensor.hpp"
#include "core/blocks/float_rows.hpp"

namespace attnscope {

/// y = x·W + b.
struct LinearMap {
  StoredTensor weight;
  WeightLayout layout = WeightLayout::OutIn;
  std::vector<float> bias;  // [d_out], or empty

  std::int64_t d_in() const { return weight.shape()[layout == WeightLayout::OutIn ? 1 : 0]; }
  std::int64_t d_out() const { return weight.shape()[layout == WeightLayout::OutIn ? 0 : 1]; }
};

/// y [rows][d_out] = x [rows][d_in]·W + b. On the CPU the bits of a row depend on that row of x alone, not on
/// the number of rows or threads; a device (Work::device) may round differently. Throws Error when the sizes
/// do not fit or the stored numbers can no longer be read; Cancelled.
void multiply(const Work&, const ConstFloatRows& x, const LinearMap&, const FloatRows& y);

}  // namespace attnscope
