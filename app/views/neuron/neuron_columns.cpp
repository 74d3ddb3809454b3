// app/views/neuron: the places of the columns of the neuron view, large and narrow.
#include <algorithm>
#include <cmath>

#include "app/state/regions/inspector_state.hpp"
#include "app/views/neuron/neuron_table.hpp"

namespace attnscope {

NeuronColumns large_columns(const Ui& ui, const Box& area) {
  const float gap = ui.px(14), token = std::clamp(std::round(area.w * 0.12f), ui.px(64), ui.px(120));
  const float number = ui.px(52), bar = std::clamp(std::round(area.w * 0.1f), ui.px(40), ui.px(140));
  const float fixed_width = token + 3 * number + bar + 6 * gap + ui.px(8);
  const float strip = std::max(ui.px(24), std::floor((area.w - fixed_width) / 3));
  NeuronColumns x;
  float at = area.x;
  const auto take = [&](float width, float space) {
    const ColumnSpan column{at, width};
    at += width + space;
    return column;
  };
  x.token = take(token, gap);
  x.key = take(strip, gap);
  x.product = take(strip, gap);
  x.score = take(number, 0);
  x.scaled = take(number, gap);
  x.weight = take(number, ui.px(8));
  x.bar = take(bar, gap + ui.px(4));
  x.value = {at, std::max(ui.px(16), area.right() - at)};
  return x;
}

NeuronColumns narrow_columns(const Ui& ui, const Box& area, NeuronStrip strip) {
  const bool wide = area.w >= ui.px(300);
  const float token = ui.px(wide ? 76 : 60), number = ui.px(wide ? 50 : 46), gap = ui.px(wide ? 12 : 10);
  NeuronColumns x;
  x.token = {area.x, token - ui.px(14)};
  x.weight = {area.right() - number, number};
  x.score = {x.weight.x - ui.px(4) - number, number};
  const ColumnSpan middle{area.x + token, std::max(ui.px(24), x.score.x - gap / 2 - area.x - token)};
  (strip == NeuronStrip::Key ? x.key : strip == NeuronStrip::Product ? x.product : x.value) = middle;
  return x;
}

}  // namespace attnscope
