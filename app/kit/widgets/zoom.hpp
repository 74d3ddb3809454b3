// app/kit/widgets: the visible range of an axis, as shares of the whole. Pure arithmetic.
#pragma once

#include <algorithm>
#include <cmath>

namespace attnscope {

struct ZoomRange {
  float from = 0, to = 1;  // 0 <= from < to <= 1
  bool operator==(const ZoomRange&) const = default;
  float span() const { return to - from; }
  bool is_whole() const { return from == 0 && to == 1; }
};

/// The range scaled by `factor` (< 1: zoomed in) around the point at share `at` of the visible range, never
/// narrower than `least`.
inline ZoomRange zoomed(ZoomRange range, float factor, float at, float least) {
  const float span = std::clamp(range.span() * factor, least, 1.f);
  if (span >= 1) return {};
  const float from = std::clamp(range.from + (range.span() - span) * at, 0.f, 1 - span);
  return {from, std::min(1.f, from + span)};
}

/// The range moved by a share of the visible range, kept inside the whole.
inline ZoomRange panned(ZoomRange range, float by) {
  const float span = range.span();
  const float from = std::clamp(range.from + by * span, 0.f, 1 - span);
  return {from, std::min(1.f, from + span)};
}

}  // namespace attnscope
