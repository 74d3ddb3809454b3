// core/models/opened: weights of a model as floats in the layout that a layer has: [d_in][d_out], heads side
// by side, whatever a file stores and however its maps order the heads.
#pragma once

#include <cstdint>
#include <span>

#include "core/blocks/weight_product.hpp"

namespace attnscope {

/// Columns of what maps side by side make of a row: those of head h are [first + h·stride, … + width).
struct ColumnsOfHeads {
  std::int64_t first = 0, stride = 0, heads = 1, width = 0;
};

/// Their part of the matrix, [d_in][heads · width], where no head's columns lie in two maps. Throws Error
/// when the stored numbers cannot be read any more.
TensorPtr dense_columns(std::span<const LinearMap>, const ColumnsOfHeads&);
/// Their part of the bias, [heads · width]; null where the maps have none.
TensorPtr bias_columns(std::span<const LinearMap>, const ColumnsOfHeads&);

/// All columns of one map.
TensorPtr dense_matrix(const LinearMap&);
TensorPtr whole_bias(const LinearMap&);

}  // namespace attnscope
