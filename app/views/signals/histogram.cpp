#include "app/views/signals/histogram.hpp"

#include <algorithm>
#include <cmath>

namespace attnscope {

std::int64_t Bars::largest() const {
  return counts.empty() ? 0 : *std::max_element(counts.begin(), counts.end());
}

Bars bars_of(std::span<const std::int64_t> fine, ZoomRange zoom) {
  const auto total = static_cast<double>(fine.size());
  const auto most = static_cast<std::int64_t>(fine.size()) / Bars::count;
  const std::int64_t width =
      std::clamp<std::int64_t>(std::llround(static_cast<double>(zoom.span()) * total / Bars::count), 1,
                               std::max<std::int64_t>(1, most));
  const std::int64_t first =
      std::clamp<std::int64_t>(std::llround(static_cast<double>(zoom.from) * total), 0,
                               std::max<std::int64_t>(0, std::ssize(fine) - width * Bars::count));
  Bars bars;
  bars.counts.assign(Bars::count, 0);
  for (std::int64_t i = 0; i < width * Bars::count && first + i < std::ssize(fine); ++i)
    bars.counts[static_cast<std::size_t>(i / width)] += fine[static_cast<std::size_t>(first + i)];
  bars.from = static_cast<double>(first) / total;
  bars.to = static_cast<double>(first + width * Bars::count) / total;
  return bars;
}

float least_zoom(std::size_t fine_bins) { return Bars::count / static_cast<float>(fine_bins); }

BarEdges bar_edges(const Axes& axes, int bar) {
  const float width = axes.area.w / Bars::count;
  return {std::round(axes.area.x + width * static_cast<float>(bar)),
          std::round(axes.area.x + width * static_cast<float>(bar + 1))};
}

int bar_at(const Axes& axes, float pixel) {
  const float share = (pixel - axes.area.x) / axes.area.w;
  return static_cast<int>(std::clamp(std::floor(share * Bars::count), 0.f, Bars::count - 1.f));
}

void draw_outline(const Ui& ui, const Axes& axes, const Bars& bars,
                  const std::function<double(std::int64_t)>& height, Rgba colour) {
  std::vector<ImVec2> line;
  const auto flush = [&] {
    if (line.empty()) return;
    line.push_back({line.back().x, axes.area.bottom()});
    draw_dashes(ui, line, colour, std::max(1.f, 1.5f * ui.scale()));
    line.clear();
  };
  for (int i = 0; i < Bars::count; ++i) {
    const std::int64_t count = bars.counts[static_cast<std::size_t>(i)];
    if (count == 0) {
      flush();
      continue;
    }
    const BarEdges edges = bar_edges(axes, i);
    const float y = axes.y(height(count));
    if (line.empty()) line.push_back({edges.left, axes.area.bottom()});
    line.push_back({edges.left, y});
    line.push_back({edges.right, y});
  }
  flush();
}

}  // namespace attnscope
