// app/views/signals: the visible part of a fine histogram as bars. The fine histogram is counted once;
// zooming only sums its bins.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "app/kit/widgets/plot.hpp"

namespace attnscope {

struct Bars {
  static constexpr int count = 40;
  std::vector<std::int64_t> counts;  // [count]
  double from = 0, to = 1;           // the ends as shares of the whole axis, at borders of fine bins
  std::int64_t largest() const;
};

/// `fine` has a multiple of Bars::count bins; a bar is the sum of at least one of them.
Bars bars_of(std::span<const std::int64_t> fine, ZoomRange);
/// The least zoom span of bars_of, as a share of the axis, for this number of fine bins.
float least_zoom(std::size_t fine_bins);

/// Left and right edge of a bar, rounded to pixels.
struct BarEdges {
  float left, right;
};
BarEdges bar_edges(const Axes&, int bar);
/// The bar at an x coordinate on the screen.
int bar_at(const Axes&, float pixel);
/// The outline of the bars as dashed lines, interrupted at empty bars: for B. `height`: the y of a count.
void draw_outline(const Ui&, const Axes&, const Bars&, const std::function<double(std::int64_t)>& height,
                  Rgba);

}  // namespace attnscope
