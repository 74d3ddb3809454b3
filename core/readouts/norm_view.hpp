// core/readouts: a norm with its scale fixed at that of one row, so that it is linear: a sum stays a sum
// behind it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/norm.hpp"
#include "core/models/model.hpp"

namespace attnscope {

/// The shift and the scale of this row: y = (x − mean) · inverse · weight + bias. A missing norm leaves the
/// row unchanged.
RowStatistics fixed_norm(const NormSettings&, const NormWeights&, std::span<const float> row);
RowStatistics fixed_norm(const NormSettings&, const NormWeights&, std::span<const double> row);
/// The factors and the biases of a norm, [width]; 1 and 0 if it has none.
std::vector<double> norm_weight(const NormSettings&, const NormWeights&, std::int64_t width);
std::vector<double> norm_bias(const NormWeights&, std::int64_t width);

/// Rows [first, first + count) of Wᵀ, [count][d_in], which make outputs first, …. Throws Error if the file
/// cannot be read any more.
TensorOf<double> rows_of_map(const LinearMap&, std::int64_t first, std::int64_t count);
/// Outputs [first, first + count) of a map's bias; zeros if it has none.
std::vector<double> bias_of_map(const LinearMap&, std::int64_t first, std::int64_t count);

}  // namespace attnscope
