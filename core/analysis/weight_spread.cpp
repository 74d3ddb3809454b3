#include "core/analysis/weight_spread.hpp"

#include <algorithm>
#include <cmath>

namespace attnscope {
namespace {

std::size_t bin_of(double share) {
  return static_cast<std::size_t>(
      std::clamp(std::floor(share * WeightSpread::bins), 0.0, static_cast<double>(WeightSpread::bins - 1)));
}

}  // namespace

WeightSpread weight_spread(const ConstMatrixMap<float>& weights, const SeeRow& see) {
  WeightSpread spread;
  std::vector<std::uint8_t> seen(static_cast<std::size_t>(weights.cols()));
  for (Eigen::Index i = 0; i < weights.rows(); ++i) {
    std::fill(seen.begin(), seen.end(), std::uint8_t{1});
    see(i, seen);
    for (Eigen::Index j = 0; j < weights.cols(); ++j) {
      if (seen[static_cast<std::size_t>(j)] == 0) continue;
      const double w = static_cast<double>(weights(i, j));
      if (!std::isfinite(w)) {
        ++spread.not_finite;
        continue;
      }
      ++spread.cells;
      if (w > 0.5) ++spread.above_half;
      if (w == 0) {
        ++spread.zero;
        continue;
      }
      ++spread.linear[bin_of(w)];
      ++spread.logarithmic[w > 0 ? bin_of(1 + std::log10(w) / WeightSpread::decades) : 0];
    }
  }
  return spread;
}

}  // namespace attnscope
