// core/models/opened: weights of a model as floats in the layout of a layer, [d_in][d_out] with the heads
// side by side, for every storage type and every order of heads in the model's maps.
#pragma once

#include <cstdint>
#include <span>

#include "core/blocks/weight_product.hpp"

namespace attnscope {

/// Columns in a row of concatenated map outputs: those of head h are [first + h·stride, … + width).
struct ColumnsOfHeads {
  std::int64_t first = 0, stride = 0, heads = 1, width = 0;
};

/// These columns of the maps' weights, [d_in][heads · width]; no head's columns may span two maps. Throws
/// Error if the stored numbers cannot be read any more.
TensorPtr dense_columns(std::span<const LinearMap>, const ColumnsOfHeads&);
/// These columns of the maps' bias, [heads · width]; null if the maps have no bias.
TensorPtr bias_columns(std::span<const LinearMap>, const ColumnsOfHeads&);

/// All columns of one map.
TensorPtr dense_matrix(const LinearMap&);
TensorPtr whole_bias(const LinearMap&);

}  // namespace attnscope
