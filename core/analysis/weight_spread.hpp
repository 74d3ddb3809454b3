// core/analysis: the distribution of the attention weights of one head, counted once per Result, in bins fine
// enough for zooming.
#pragma once

#include <cstdint>
#include <vector>

#include "core/analysis/see_row.hpp"
#include "core/base/tensor.hpp"

namespace attnscope {

/// Counts of the allowed cells' weights. Zeros are counted apart: an exponential that underflowed is not a
/// small weight.
struct WeightSpread {
  static constexpr int bins = 2560;  // of each histogram; a multiple of what a plot shows
  static constexpr int decades = 8;  // the logarithmic one runs over 1e-8 … 1
  // Weights other than 0; values outside the range are counted in the end bins.
  std::vector<std::int64_t> linear = std::vector<std::int64_t>(bins, 0),
                            logarithmic = std::vector<std::int64_t>(bins, 0);
  std::int64_t cells = 0;  // finite ones
  std::int64_t zero = 0, above_half = 0;
  std::int64_t not_finite = 0;

  double share(std::int64_t count) const {
    return cells > 0 ? static_cast<double>(count) / static_cast<double>(cells) : 0;
  }
};

///
WeightSpread weight_spread(const ConstMatrixMap<float>& weights, const SeeRow& see);

}  // namespace attnscope
