#include "core/analysis/histogram.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace attnscope {

std::int64_t Histogram::largest_bin() const {
  return bins.empty() ? 0 : *std::max_element(bins.begin(), bins.end());
}

HistogramCount::HistogramCount(float low, float high, int bins, bool log)
    : low_(low),
      high_(high),
      width_(log ? std::log(high / low) : high - low),
      last_(static_cast<float>(bins - 1)),
      log_(log) {
  made_.bins.assign(static_cast<std::size_t>(bins), 0);
}

Histogram HistogramCount::finish() && {
  if (made_.cells > 0) {
    const double n = static_cast<double>(made_.cells);
    made_.mean = sum_ / n;
    made_.deviation = std::sqrt(std::max(0.0, squares_ / n - made_.mean * made_.mean));
  }
  return std::move(made_);
}

Histogram histogram(const ConstMatrixMap<float>& values, const SeeRow& see, const HistogramRequest& request) {
  HistogramCount count(request.low, request.high, request.bins, request.log);
  std::vector<std::uint8_t> seen(static_cast<std::size_t>(values.cols()), 1);
  for (Eigen::Index i = 0; i < values.rows(); ++i) {
    see(i, seen);
    for (Eigen::Index j = 0; j < values.cols(); ++j)
      if (seen[static_cast<std::size_t>(j)] != 0) count.add(values(i, j));
  }
  return std::move(count).finish();
}

}  // namespace attnscope
