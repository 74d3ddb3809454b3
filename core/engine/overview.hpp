// core/engine: planes of weights pooled in cells, for small pictures.
#pragma once

#include <cstdint>

#include "core/base/tensor.hpp"

namespace attnscope {

/// The most cells on a side of a pooled plane.
inline constexpr std::int64_t overview_side = 128;

/// Rows and columns per cell for planes [batch][heads][rows][columns]; 1 for small planes.
std::int64_t overview_cell(const Shape& planes);
/// [batch][heads][⌈rows / cell⌉][⌈columns / cell⌉]
Shape overview_shape(const Shape& planes);

/// For each cell the number of the largest magnitude; of a number and its negative the positive one; NaN if a
/// number is NaN.
Tensor overview_of(const Tensor& planes);

}  // namespace attnscope
