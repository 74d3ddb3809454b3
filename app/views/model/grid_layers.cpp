// app/views/model: the layers of the grid: numbers, changes in them, their effect on the prediction.
#include <algorithm>
#include <cmath>

#include "app/kit/ui/number_format.hpp"
#include "app/views/model/grid_regions.hpp"
#include "core/models/changes.hpp"

namespace attnscope {
namespace {

void draw_number(const GridFrame& grid, const GridPlan::Layer& layer, bool chosen, float& end) {
  const Ui& ui = grid.ui;
  const BlockChange* const change = change_of_block(grid.changes, layer.of, layer.block);
  const float y = layer.band.centre_y();
  if (!chosen && change == nullptr && y - ui.px(7) < end) return;
  if (layer.band.y > grid.plan.window.y - grid.plan.pitch) end = y + ui.px(7);
  const Rgba ink = chosen || change != nullptr ? ui.theme.query : ui.theme.text2;
  const float width = ui.text(layer.number, y, std::to_string(layer.block),
                              {type::tick, ink, chosen ? Ink::Semibold : Ink::Regular, Align::Right});
  if (change == nullptr) return;
  std::string_view sign = "√";
  if (change->attention_off || change->mlp_off)
    sign = "○";
  else if (change->attention)
    sign = "≠";
  else if (!change->scale)
    sign = change->mask_off ? "◸" : change->causal ? "◺" : "τ";
  ui.text(layer.number - width - ui.px(5), y, sign, {type::tick, ink, Ink::Regular, Align::Right});
}

void draw_effect(const GridFrame& grid, const GridPlan::Layer& layer, const std::vector<BlockEffect>& effects,
                 double most, bool chosen) {
  const Ui& ui = grid.ui;
  const Box& box = layer.effect;
  const float room = ui.px(34), y = layer.band.centre_y();
  const Box track{box.x, std::round(y - ui.px(4)), std::max(ui.px(12), box.w - room), ui.px(8)};
  ui.fill(track, ui.theme.bar_ground, ui.px(2));
  const auto at = static_cast<std::size_t>(layer.block);
  if (at >= effects.size() || effects[at].known == 0) return;
  const BlockEffect& effect = effects[at];
  const bool whole = effect.known == effect.heads;
  const auto share = static_cast<float>(most > 0 ? effect.sum / most : 0);
  ui.fill({track.x, track.y, std::max(ui.px(1), std::round(track.w * share)), track.h},
          fade(chosen ? ui.theme.query : ui.theme.bar, whole ? 1 : 0.5f), ui.px(2));
  ui.text(track.right() + ui.px(8), y, fixed(effect.sum, 1),
          {type::tick,
           chosen  ? ui.theme.text1
           : whole ? ui.theme.text2
                   : ui.theme.text3,
           chosen ? Ink::Medium : Ink::Regular});
}

}  // namespace

void draw_grid_layers(const GridFrame& grid) {
  const GridPlan& plan = grid.plan;
  const Ui& ui = grid.ui;
  for (const GridPlan::Title& title : plan.titles) {
    const float width = ui.text(title.x, title.y, title.text, {type::label, ui.theme.text2, Ink::Medium});
    ui.text(title.x + width + ui.px(8), title.y, std::to_string(title.count), {type::tick, ui.theme.text3});
  }
  const std::vector<BlockEffect> effects = block_effects(grid.reading);
  double most = 0;
  for (const BlockEffect& effect : effects) most = std::max(most, effect.sum);
  float end = -1e9f, above = -1e9f;
  for (const GridPlan::Layer& layer : plan.layers) {
    if (layer.band.y <= above) end = -1e9f;  // another bank
    above = layer.band.y;
    if (layer.band.bottom() < plan.window.y || layer.band.y > plan.window.bottom()) continue;
    const bool chosen = layer.of == grid.chosen.of && layer.block == grid.chosen.block;
    if (chosen) ui.fill(layer.band, fade(ui.theme.text1, 0.06f), ui.px(6));
    draw_number(grid, layer, chosen, end);
    if (layer.effect.w > 0) draw_effect(grid, layer, effects, most, chosen);
  }
}

}  // namespace attnscope
