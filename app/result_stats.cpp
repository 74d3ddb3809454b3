#include "app/result_stats.hpp"

#include <algorithm>
#include <cmath>

#include "core/mask.hpp"

namespace attnscope {

std::int64_t Histogram::largest_bin() const {
  return bins.empty() ? 0 : *std::max_element(bins.begin(), bins.end());
}

namespace {

/// Calls `each` with every finite value of the head, or of its allowed cells only.
template <class Each>
void for_finite(const Result& result, Stage stage, std::int64_t b, std::int64_t h, bool allowed_only,
                Each each) {
  const auto values = result.trace[stage]->matrix(b, h);
  const MaskRule rule(result.document);
  for (Eigen::Index i = 0; i < values.rows(); ++i) {
    const MaskRow row = rule.row(b, h, i);
    for (Eigen::Index j = 0; j < values.cols(); ++j) {
      if (allowed_only && !row.allows(j)) continue;
      if (const float v = values(i, j); std::isfinite(v)) each(v);
    }
  }
}

}  // namespace

ValueRange ResultStats::range(Stage stage, std::int64_t b, std::int64_t h) {
  const auto [it, is_new] = ranges_.try_emplace({stage, b, h});
  if (!is_new) return it->second;
  ValueRange range{INFINITY, -INFINITY};
  const bool hides = stage == Stage::Mask || stage == Stage::Softmax;
  for_finite(*result_, stage, b, h, hides, [&](float v) {
    range.low = std::min(range.low, v);
    range.high = std::max(range.high, v);
  });
  it->second = range.low <= range.high ? range : ValueRange{};
  return it->second;
}

const Histogram& ResultStats::histogram(Stage stage, std::int64_t b, std::int64_t h, float low, float high,
                                        int bins) {
  if (histograms_.size() > 64) histograms_.clear();  // a dragged colour bar must not pile them up
  const auto [it, is_new] = histograms_.try_emplace({stage, b, h, low, high, bins});
  if (!is_new) return it->second;
  Histogram& histogram = it->second;
  histogram.bins.assign(static_cast<std::size_t>(bins), 0);
  double sum = 0, squares = 0;
  for_finite(*result_, stage, b, h, true, [&](float v) {
    ++histogram.cells;
    sum += static_cast<double>(v);
    squares += static_cast<double>(v) * static_cast<double>(v);
    const float unit = (v - low) / (high - low);
    if (unit < 0) {
      ++histogram.below;
    } else if (unit > 1) {
      ++histogram.above;
    } else {
      ++histogram.bins[std::min(static_cast<std::size_t>(unit * static_cast<float>(bins)),
                                histogram.bins.size() - 1)];
    }
  });
  if (histogram.cells > 0) {
    const double n = static_cast<double>(histogram.cells);
    histogram.mean = sum / n;
    histogram.deviation = std::sqrt(std::max(0.0, squares / n - histogram.mean * histogram.mean));
  }
  return histogram;
}

const CellReference* ResultStats::reference(std::int64_t b, std::int64_t h, std::int64_t query,
                                            std::int64_t key, bool patient) {
  constexpr std::int64_t quick = 20'000'000;  // multiplications: about 10 ms
  const Dimensions& d = result_->dimensions;
  if (const auto it = references_.find({b, h, query, key}); it != references_.end()) return &it->second;
  if (!patient && d.keys * d.d_k * (result_->document.input.given ? 1 : d.d_model) > quick) return nullptr;
  if (references_.size() > 256) references_.clear();
  return &references_.try_emplace({b, h, query, key}, reference_cell(result_->document, b, h, query, key))
              .first->second;
}

}  // namespace attnscope
