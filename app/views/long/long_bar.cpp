// app/views/long: the colour bar of a long map.
#include <algorithm>
#include <cmath>

#include "app/kit/ui/powers_of_ten.hpp"
#include "app/state/regions/long_state.hpp"
#include "app/views/focus/bar_ends.hpp"
#include "app/views/long/long_parts.hpp"

namespace attnscope {
namespace {

/// The true ends below the corners, and the powers of ten between them that have room.
void draw_long_ends(const Ui& ui, const Bar& bar) {
  const float y = bar.ramp.bottom() + ui.px(11);
  const TextStyle left{type::tick, ui.theme.text2},
      right{type::tick, ui.theme.text2, Ink::Regular, Align::Right};
  const auto words = [&](float value) {
    const double decade = std::log10(static_cast<double>(value));
    return bar.scale.log && std::abs(decade - std::round(decade)) < 1e-4
               ? own(power_of_ten(static_cast<int>(std::lround(decade))))
               : end_text(bar, value);
  };
  const float from = bar.ramp.x + ui.text(bar.ramp.x, y, words(bar.from), left);
  const float to = bar.ramp.right() - ui.text(bar.ramp.right(), y, words(bar.to), right);
  if (bar.scale.zero_centred && !(bar.ramp.right() - bar.ramp.x < ui.px(160)))
    ui.text(bar.ramp.centre_x(), y, "0", {type::tick, ui.theme.text2, Ink::Regular, Align::Centre});
  if (!bar.scale.log) return;
  const float needed = ui.px(28);
  float free = from;  // right end of the last text
  for (int decade = -12; decade < 0; ++decade) {
    const auto value = static_cast<float>(std::pow(10.0, decade));
    if (value <= bar.from || value >= bar.to) continue;
    const float x = bar.x(value);
    if (x - needed / 2 < free + ui.px(10) || x + needed / 2 > to - ui.px(10)) continue;
    ui.text(x, y, own(power_of_ten(decade)), {type::tick, ui.theme.text2, Ink::Regular, Align::Centre});
    free = x + needed / 2;
  }
}

}  // namespace

void draw_long_bar(Scene& scene, const Box& area, const Box& cells, const ColourScale& scale) {
  const Ui& ui = scene.ui;
  const float right = std::max(cells.right(), cells.x + ui.px(240));
  const Bar bar = planned_bar(scene, {cells.x, area.y + ui.px(22), right - cells.x, ui.px(10)}, scale);
  const auto spread = [&](float low, float high) {
    return scene.stats.picture_histogram(
        {scene.sequence(), scene.head(), long_view_of(scene.view).mean, scale.zero_centred},
        {low, high, bar_bins, scale.log});
  };
  draw_spread(ui, bar, *spread(bar.from, bar.to));
  draw_ramp(ui, "long ramp", bar.ramp, bar.scale, bar.from, bar.to);
  ui.frame(bar.ramp, ui.theme.border, std::max(1.f, std::floor(ui.scale())));
  ui.text(bar.ramp.x - ui.px(14), bar.ramp.centre_y(), scale.zero_centred ? "now − held" : "weight",
          {type::label, ui.theme.text2, Ink::Regular, Align::Right});
  draw_long_ends(ui, bar);
  take_bar_mouse(scene, bar);
  const HistogramPtr at_ends = spread(scale.low, scale.high);
  // In a figure the true ends are enough; A − B has its own range.
  if (ui.is_figure() || scale.zero_centred) return draw_clipped(ui, bar, *at_ends);
  draw_range(scene, area, bar, right + ui.px(16), *at_ends);
}

}  // namespace attnscope
