#include "app/result_stats.hpp"

#include <algorithm>
#include <cmath>

namespace attnscope {

std::int64_t Histogram::largest_bin() const {
  return bins.empty() ? 0 : *std::max_element(bins.begin(), bins.end());
}

namespace {

/// Calls `each` with every finite value of the head, or of its allowed cells only.
template <class Each>
void for_finite(const Result& result, const MaskRule& rule, Plane plane, std::int64_t b, std::int64_t h,
                bool allowed_only, Each each) {
  const auto values = matrix_of(result, plane, b, h);
  std::vector<std::uint8_t> seen(static_cast<std::size_t>(values.cols()), 1);
  for (Eigen::Index i = 0; i < values.rows(); ++i) {
    if (allowed_only) rule.see(b, h, i, seen);
    for (Eigen::Index j = 0; j < values.cols(); ++j) {
      if (seen[static_cast<std::size_t>(j)] == 0) continue;
      if (const float v = values(i, j); std::isfinite(v)) each(v);
    }
  }
}

}  // namespace

const MaskRule& ResultStats::full_rule() {
  if (!full_rule_) full_rule_.emplace(rule_.without_sparsity());
  return *full_rule_;
}

ValueRange ResultStats::range(Plane plane, std::int64_t b, std::int64_t h) {
  const auto [it, is_new] = ranges_.try_emplace({plane, b, h});
  if (!is_new) return it->second;
  ValueRange range{INFINITY, -INFINITY};
  for_finite(*result_, rule_, plane, b, h, shows_mask(result_->document, plane), [&](float v) {
    range.low = std::min(range.low, v);
    range.high = std::max(range.high, v);
  });
  it->second = range.low <= range.high ? range : ValueRange{};
  return it->second;
}

float ResultStats::largest(Stage stage) {
  const auto [at, added] = largest_.try_emplace(stage, 0.0f);
  if (!added) return at->second;
  for (const float value : result_->trace[stage]->values())
    if (std::isfinite(value)) at->second = std::max(at->second, std::abs(value));
  if (at->second == 0) at->second = 1;
  return at->second;
}

const Histogram& ResultStats::histogram(Plane plane, std::int64_t b, std::int64_t h, float low, float high,
                                        int bins) {
  if (histograms_.size() > 64) histograms_.clear();  // a dragged colour bar must not pile them up
  const auto [it, is_new] = histograms_.try_emplace({plane, b, h, low, high, bins});
  if (!is_new) return it->second;
  Histogram& histogram = it->second;
  histogram.bins.assign(static_cast<std::size_t>(bins), 0);
  double sum = 0, squares = 0;
  for_finite(*result_, rule_, plane, b, h, true, [&](float v) {
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
  return &references_
              .try_emplace({b, h, query, key},
                           reference_cell(result_->document, result_->trace, b, h, query, key))
              .first->second;
}

}  // namespace attnscope
