// core/analysis: the distance between two attention patterns.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/base/tensor.hpp"

namespace attnscope {

/// The total variation distance of two rows of weights over the same keys, ½ Σ_j |a_j − b_j|, summed in
/// double: 0 where they are the same, 1 where all weight lies on other keys.
double total_variation(std::span<const float> a, std::span<const float> b);

/// The same of two heads [queries][keys], row by row.
struct TotalVariation {
  std::vector<double> rows;  // [queries]
  double mean = 0;           // over the rows that count; 0 without such rows
};
/// `counts(query)` says whether a row is part of the mean.
TotalVariation total_variation(const ConstMatrixMap<float>& a, const ConstMatrixMap<float>& b,
                               const std::function<bool(std::int64_t)>& counts);

}  // namespace attnscope
