// core/analysis: how the numbers of one tensor differ from those of another, cell by cell.
#pragma once

#include <stop_token>

#include "core/base/tensor.hpp"

namespace attnscope {

enum class CellDifference : std::uint8_t {
  Signed,     // a - b
  Magnitude,  // |a - b|
  Doublings,  // log2 |a| / |b|
};

/// The difference of two tensors of the same shape. It is 0 where both cells are equal, equal infinities
/// included, so cells that are hidden in both do not differ. Throws Cancelled when it is stopped.
Tensor cell_difference(const Tensor& a, const Tensor& b, CellDifference, const std::stop_token& = {});

}  // namespace attnscope
