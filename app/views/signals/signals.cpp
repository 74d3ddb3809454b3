// app/views: the signals: up to four plots side by side; what stands in each place is chosen in its title.
#include <algorithm>
#include <cmath>
#include <vector>

#include "app/views/signals/plots.hpp"

namespace attnscope {
namespace {

constexpr float least_width = 300;  // of a place, logical pixels

/// Which places fit, from the left. Where four do not, the second gives way first: per head is in every
/// thumbnail's tooltip as well.
std::vector<int> places_in(float width, float place) {
  const int count = std::clamp(static_cast<int>(width / place), 1, 4);
  if (count == 1) return {0};
  if (count == 2) return {0, 3};
  if (count == 3) return {0, 2, 3};
  return {0, 1, 2, 3};
}

void draw_plot(const PlotPlace& place) {
  switch (place.kind()) {
    case PlotKind::EntropyRows: return draw_entropy_rows(place);
    case PlotKind::EntropyHeads: return draw_entropy_heads(place);
    case PlotKind::EntropyMap: return draw_entropy_map(place);
    case PlotKind::Scores: return draw_scores(place);
    case PlotKind::Weights: return draw_weights(place);
    case PlotKind::Time: return draw_time(place);
    case PlotKind::GradientNorms: return draw_gradient_norms(place);
    case PlotKind::Received: return draw_received(place);
  }
}

}  // namespace

void draw_signals(Scene& scene, const Box& region) {
  const Ui& ui = scene.ui;
  ui.horizontal(region.x, region.y, region.w, ui.theme.hairline);
  const std::vector<int> places = places_in(region.w, ui.px(least_width));
  const float pad = ui.px(scene.compact ? 14 : 20);
  const float width = region.w / static_cast<float>(places.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    const float x = std::round(region.x + width * static_cast<float>(i));
    const Box box{x + pad, region.y + ui.px(12), width - 2 * pad, region.h - ui.px(20)};
    if (i > 0) ui.vertical(x, region.y + ui.px(12), region.h - ui.px(24), ui.theme.hairline);
    if (box.w > ui.px(40) && box.h > ui.px(48)) draw_plot({scene, box, places[i]});
  }
}

}  // namespace attnscope
