// core/readouts: a norm with the scale that it had in one row: behind it what was summed is still a sum.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/norm.hpp"
#include "core/models/model.hpp"

namespace attnscope {

/// y = (x − mean) · inverse · weight + bias.
struct FixedNorm {
  double mean = 0, inverse = 1;
};
/// As the norm has it for this row; that of a norm that does not exist leaves the row as it is.
FixedNorm fixed_norm(const NormSettings&, const NormWeights&, std::span<const float> row);
FixedNorm fixed_norm(const NormSettings&, const NormWeights&, std::span<const double> row);
/// What a norm multiplies and adds, [width]; 1 and 0 where it has neither.
std::vector<double> norm_weight(const NormSettings&, const NormWeights&, std::int64_t width);
std::vector<double> norm_bias(const NormWeights&, std::int64_t width);

/// Rows [first, first + count) of Wᵀ, [count][d_in]: those that make outputs first, …. Throws Error when the
/// file cannot be read any more.
TensorOf<double> rows_of_map(const LinearMap&, std::int64_t first, std::int64_t count);
/// Outputs [first, first + count) of a map's bias; zeros where it has none.
std::vector<double> bias_of_map(const LinearMap&, std::int64_t first, std::int64_t count);

}  // namespace attnscope
