// core/engine: every plane of weights in cells of several, for pictures that are small.
#pragma once

#include <cstdint>

#include "core/base/tensor.hpp"

namespace attnscope {

/// No side of a plane has more cells than this.
inline constexpr std::int64_t overview_side = 128;

/// Rows and columns of a cell for planes [batch][heads][rows][columns]; 1 where they are small themselves.
std::int64_t overview_cell(const Shape& planes);
/// [batch][heads][⌈rows / cell⌉][⌈columns / cell⌉]
Shape overview_shape(const Shape& planes);

/// Of each cell the number whose magnitude is largest; of a number and its negative the positive one; NaN
/// where one is.
Tensor overview_of(const Tensor& planes);

}  // namespace attnscope
