// core/analysis: the range of the numbers of a head, which the colour scale covers.
#pragma once

#include <cstdint>
#include <span>

#include "core/analysis/see_row.hpp"
#include "core/base/tensor.hpp"

namespace attnscope {

struct ValueRange {
  float low = 0, high = 0;      // of the finite values that are seen; 0 where there is none
  float smallest_positive = 1;  // of the seen finite values above 0; 1 where there is none
  std::int64_t not_finite = 0;  // values that are NaN or infinite, hidden ones too
  bool operator==(const ValueRange&) const = default;
};

/// The range of a head's numbers [queries][keys], from every `step`-th row, starting with the first.
ValueRange value_range(const ConstMatrixMap<float>& values, const SeeRow& see, std::int64_t step = 1);

struct MatrixPart {
  std::int64_t row = 0, column = 0, rows = 0, columns = 0;
  bool operator==(const MatrixPart&) const = default;
};
/// The largest |x| of the finite numbers, of all or of a part; 0 where there is none.
float largest_magnitude(std::span<const float> values);
float largest_magnitude(const ConstMatrixMap<float>& values, const MatrixPart&);
/// How many are NaN or infinite.
std::int64_t count_not_finite(std::span<const float> values);

/// Widens [least, greatest] by the finite values where seen[i] is not 0.
void widen_range(std::span<const float> values, std::span<const std::uint8_t> seen, float& least,
                 float& greatest);

}  // namespace attnscope
