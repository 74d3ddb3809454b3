// core/analysis: counts of values in bins between two limits, and of values outside.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/analysis/see_row.hpp"
#include "core/base/tensor.hpp"

namespace attnscope {

/// The distribution of the values of some cells.
struct Histogram {
  std::vector<std::int64_t> bins;                // from low to high, equal width
  std::int64_t below = 0, above = 0, cells = 0;  // outside the limits; all finite values
  double mean = 0, deviation = 0;                // of the finite ones
  std::int64_t largest_bin() const;
};

/// Counts value by value. `log`: bins of equal ratio, low above 0; values not above 0 count as below.
class HistogramCount {
 public:
  HistogramCount(float low, float high, int bins, bool log);
  /// Infinities and NaN are left out. Inline, since it is called for every cell of a matrix.
  void add(float value) {
    if (!std::isfinite(value)) return;
    ++made_.cells;
    sum_ += static_cast<double>(value);
    squares_ += static_cast<double>(value) * static_cast<double>(value);
    if (value < low_) {
      ++made_.below;
    } else if (value > high_) {
      ++made_.above;
    } else {
      // Equal limits have no width.
      const float unit = !(width_ > 0) ? 0 : log_ ? std::log(value / low_) / width_ : (value - low_) / width_;
      ++made_.bins[static_cast<std::size_t>(std::clamp(unit * (last_ + 1), 0.f, last_))];
    }
  }
  Histogram finish() &&;

 private:
  float low_, high_, width_, last_;  // width: that of the logarithms if log_
  bool log_;
  double sum_ = 0, squares_ = 0;
  Histogram made_;
};

/// The bins of a Histogram, see HistogramCount.
struct HistogramRequest {
  float low = 0, high = 1;
  int bins = 1;
  bool log = false;
  auto operator<=>(const HistogramRequest&) const = default;
};

/// Counts the cells of a head's numbers [queries][keys] that `see` marks.
Histogram histogram(const ConstMatrixMap<float>& values, const SeeRow& see, const HistogramRequest& request);

}  // namespace attnscope
