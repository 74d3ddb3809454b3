// app/views/signals: the part of a fine histogram that is in sight, as bars. The fine one is counted once, so
// that zooming costs nothing.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "app/kit/widgets/plot.hpp"

namespace attnscope {

struct Bars {
  static constexpr int count = 40;
  std::vector<std::int64_t> counts;  // [count]
  double from = 0, to = 1;           // the ends, as shares of the whole axis: whole fine bins
  std::int64_t largest() const;
};

/// `fine` has a multiple of Bars::count bins; a bar is never less than one of them.
Bars bars_of(std::span<const std::int64_t> fine, ZoomRange);
/// How far bars_of zooms into so many bins.
float least_zoom(std::size_t fine_bins);

/// Left and right edge of a bar, whole pixels.
struct BarEdges {
  float left, right;
};
BarEdges bar_edges(const Axes&, int bar);
/// The bar under a place on the screen.
int bar_at(const Axes&, float pixel);
/// The upper edge of the bars as one dashed line: how B is drawn. `height`: of a count, on the y axis.
void draw_outline(const Ui&, const Axes&, const Bars&, const std::function<double(std::int64_t)>& height,
                  Rgba);

}  // namespace attnscope
