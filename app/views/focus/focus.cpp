// app/views/focus: the chosen head, large: its matrix of the chosen stage with token labels on both axes, the
// entropy of every row at the right, attention received under every column, and a colour bar; or its weights
// as lines between tokens.
#include <algorithm>
#include <cmath>

#include "app/state/regions/editing_state.hpp"
#include "app/state/regions/focus_state.hpp"
#include "app/state/regions/stage_look.hpp"
#include "app/state/window_state.hpp"
#include "app/views/editing/weight_map.hpp"
#include "app/views/focus/focus_parts.hpp"
#include "app/views/parts/heat_map.hpp"
#include "app/views/parts/mask_painter.hpp"
#include "app/views/parts/vector_map.hpp"
#include "core/document/known.hpp"

namespace attnscope {
namespace {

/// While the float64 error is not computed: the progress, or why it cannot be computed.
void draw_waiting(Scene& scene, const Box& cells) {
  const ErrorTask* task = scene.stats.error_task();
  if (!stage_look_of(scene.view).stage.is_error() || task == nullptr || task->result() != nullptr) return;
  const Ui& ui = scene.ui;
  const float y = cells.centre_y(), width = std::min(ui.px(360), std::max(ui.px(120), cells.w - ui.px(24)));
  const float x = cells.centre_x() - width / 2;
  if (task->is_done()) {
    const float height = ui.paragraph_height(width, task->error(), type::label);
    ui.paragraph(x, y - height / 2, width, task->error(), {type::label, ui.theme.text2});
    return;
  }
  const std::string words = "computing in float64, stage " + std::to_string(task->progress()) + " of " +
                            std::to_string(float64_error_steps);
  ui.text(cells.centre_x(), y - ui.px(12), words, {type::label, ui.theme.text2, Ink::Regular, Align::Centre});
  const Box track{x, y + ui.px(4), width, ui.px(4)};
  const float done = static_cast<float>(task->progress()) / static_cast<float>(float64_error_steps);
  ui.fill(track, ui.theme.control_hover, ui.px(2));
  ui.fill({track.x, track.y, track.w * done, track.h}, ui.theme.query, ui.px(2));
  if (scene.view.hint.empty()) scene.view.hint = words;
}

/// One map, or the maps of a batch side by side, with their tools above and the colour bar below.
void draw_maps(Scene& scene, const Box& area, const Box& bar) {
  const Ui& ui = scene.ui;
  const std::int64_t batch = scene.result.dimensions.batch;
  // The maps of a batch are side by side if each has a readable size; else only the chosen sequence is shown.
  const std::int64_t most = std::max<std::int64_t>(1, static_cast<std::int64_t>(area.w / ui.px(280)));
  const std::int64_t maps = batch <= most ? batch : 1;
  Box chosen{}, first{};
  const float gap = ui.px(24);
  const float width = std::floor((area.w - gap * static_cast<float>(maps - 1)) / static_cast<float>(maps));
  for (std::int64_t i = 0; i < maps; ++i) {
    const std::int64_t b = maps == batch ? i : scene.sequence();
    const Box part{area.x + static_cast<float>(i) * (width + gap), area.y, width, area.h};
    const Box map = draw_heat_map(scene, part, b,
                                  {.wide_strip = maps == 1 && !scene.compact,
                                   .caption = batch > 1,
                                   .strips = bar.h > 0 && area.w >= ui.px(400)});
    if (i == 0) first = map;
    if (b == scene.sequence() || maps == 1) chosen = map;
  }
  draw_waiting(scene, chosen);
  draw_focus_tools(scene, area, batch > 1 ? ui.px(28) : 0, first.x);
  const float left = maps == 1 ? chosen.x : area.x + ui.px(76);
  const float least = left + ui.px(120);
  const float right = std::clamp(maps == 1 ? std::max(chosen.right(), left + ui.px(200)) : left + ui.px(300),
                                 least, std::max(least, area.right() - ui.px(190)));
  if (bar.h > 0) draw_colour_bar(scene, bar, left, right);
}

}  // namespace

void draw_focus(Scene& scene, const Box& region) {
  const Ui& ui = scene.ui;
  const float pad = ui.px(scene.compact ? 12 : 20);
  ui.fill(region, ui.theme.picture);
  ui.clip(region);
  draw_focus_title(scene, region, pad);
  // The map gives way last: a low region has no strips and no colour bar.
  const bool low = region.h < ui.px(360);
  const float title = ui.px(scene.compact ? 44 : 48), bar = low ? ui.px(8) : ui.px(scene.compact ? 56 : 64);
  const Box area{region.x + pad, region.y + title, region.w - 2 * pad, region.h - title - bar};
  const Box all{area.x, area.y, area.w, area.h + bar};
  std::optional<Editable>& weights = editing_of(scene.view).weights;
  if (weights && !numbers_of(scene.document, *weights)) weights.reset();
  if (const std::optional<Stage> vectors = stage_look_of(scene.view).vectors;
      vectors && (!scene.result.trace[*vectors] || !is_known(scene.result.document, *vectors)))
    stage_look_of(scene.view).vectors.reset();
  // Lines show only weights, and a mask is painted only on cells.
  if (!is_weights(stage_look_of(scene.view).stage) || is_painting(scene)) focus_of(scene.view).lines = false;
  if (weights) {
    draw_weight_map(scene, all, *weights);
  } else if (stage_look_of(scene.view).vectors) {
    draw_vector_map(scene, all, *stage_look_of(scene.view).vectors);
  } else if (focus_of(scene.view).lines) {
    draw_lines(scene, all);
  } else {
    draw_maps(scene, area, {area.x, region.bottom() - bar, area.w, low ? 0 : bar});
  }
  ui.unclip();
}

}  // namespace attnscope
