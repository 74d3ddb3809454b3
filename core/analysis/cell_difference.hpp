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

/// Of two tensors of one shape. Where both cells are equal, infinities too, the difference is 0: what is
/// hidden in both does not differ. Throws Cancelled when it is stopped.
Tensor cell_difference(const Tensor& a, const Tensor& b, CellDifference, const std::stop_token& = {});

}  // namespace attnscope
