// app/views: the colour bar of the focus. It shows the real ends, the histogram of the values and the share
// beyond the ends; its ends can be dragged.
#include <algorithm>
#include <array>
#include <cmath>

#include "app/kit/ui/number_format.hpp"
#include "app/scene/picture.hpp"
#include "app/state/regions/focus_state.hpp"
#include "app/state/regions/stage_look.hpp"
#include "app/views/focus/bar_ends.hpp"
#include "app/views/focus/focus_parts.hpp"

namespace attnscope {
namespace {

void draw_ends(const Scene& scene, const Bar& bar) {
  const Ui& ui = scene.ui;
  const float y = bar.ramp.bottom() + ui.px(11);
  const std::string log = bar.scale.log ? "log " : "";
  const float left = ui.text(bar.ramp.x, y, log + end_text(bar, bar.from), {type::tick, ui.theme.text2});
  const float right = ui.text(bar.ramp.right(), y, end_text(bar, bar.to),
                              {type::tick, ui.theme.text2, Ink::Regular, Align::Right});
  const Plane plane = stage_look_of(scene.view).stage;
  const ValueRange own = scene.stats.range(plane, scene.sequence(), scene.head());
  const auto own_end = [&](float v) {
    const auto number = static_cast<double>(v);
    const bool small = plane.is_gradient() || plane.is_error() || (v != 0 && std::abs(v) < 0.0005f);
    return small ? tiny(number) : fixed(number, 3);
  };
  const std::string ends = own_end(own.low) + " … " + own_end(own.high);
  const float room = bar.ramp.w - 2 * std::max(left, right) - ui.px(24);  // between the ends' texts
  for (const std::string& words : {"this head " + ends, ends}) {
    if (ui.text_width(words, type::tick) > room) continue;
    ui.text(bar.ramp.centre_x(), y, words, {type::tick, ui.theme.text3, Ink::Regular, Align::Centre});
    return;
  }
}

/// A tick at the shown cell's value.
void draw_value_tick(const Scene& scene, const Bar& bar) {
  const Ui& ui = scene.ui;
  const Plane plane = stage_look_of(scene.view).stage;
  if (!scene.stats.tensor(plane)) return;
  const Cell cell = scene.cell();
  const float value = scene.stats.matrix(plane, scene.sequence(), scene.head())(cell.query, cell.key);
  if (!std::isfinite(value)) return;
  const float x = std::round(bar.x(value));
  ui.fill({x - ui.px(1), bar.ramp.bottom(), ui.px(2), ui.px(4)}, ui.theme.query);
}

/// The choice of the colour map and of the logarithm, under the name of the stage.
void draw_colours(Scene& scene, const Bar& bar, const Box& box) {
  const Ui& ui = scene.ui;
  if (!is_weights(stage_look_of(scene.view).stage)) return;
  FocusState& focus = focus_of(scene.view);
  constexpr std::array<std::string_view, weight_colour_count> names{"Magma", "Viridis", "Cividis", "Blues",
                                                                    "Grey"};
  const char* const label = "Colours";
  const Ui::Touch touch = ui.touch(label, box);
  if (touch.hovered || ImGui::IsPopupOpen(label)) ui.fill(box, ui.theme.control_hover, ui.px(4));
  if (touch.focused) ui.frame(box.grown(ui.px(2)), ui.theme.query, ui.px(2), ui.px(6));
  const float cx = box.right() - ui.px(7), cy = box.centre_y(), r = ui.px(3);
  const ImVec2 chevron[3]{{cx - r, cy - r / 2}, {cx, cy + r / 2}, {cx + r, cy - r / 2}};
  if (!ui.is_figure()) ui.polyline(chevron, ui.theme.text3, ui.px(1.5f));
  ui.text(cx - r - ui.px(4), cy, names[static_cast<std::size_t>(focus.colours)],
          {type::tick, touch.hovered ? ui.theme.text1 : ui.theme.text3, Ink::Regular, Align::Right,
           box.w - ui.px(18)});
  tooltip(ui, touch.hovered && !ImGui::IsPopupOpen(label), box,
          {"Colours of weights", bar.scale.log ? "place ∝ log weight" : "place ∝ weight",
           "The map, and whether it follows the weight or its logarithm.", "L"});
  if (touch.clicked) ImGui::OpenPopup(label);
  drop_list(ui, label, box, [&] {
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto which = static_cast<WeightColours>(i);
      const std::string_view note =
          which == WeightColours::Magma ? "zero has the colour of the background" : std::string_view{};
      if (menu_row(ui, names[i].data(), note, focus.colours == which)) focus.colours = which;
    }
    if (menu_row(ui, "Logarithmic", "small weights can be told apart · L", focus.log)) toggle_log(scene);
  });
}

HistogramPtr spread_of(const Scene& scene, const Bar& bar, float low, float high) {
  return scene.stats.histogram(stage_look_of(scene.view).stage, scene.sequence(), scene.head(),
                               {low, high, bar_bins, bar.scale.log});
}

}  // namespace

void draw_colour_bar(Scene& scene, const Box& area, float left, float right) {
  const Ui& ui = scene.ui;
  const Bar bar = planned_bar(scene, {left, area.y + ui.px(22), right - left, ui.px(10)},
                              colour_scale(scene, stage_look_of(scene.view).stage, scene.head()));
  if (bar.ramp.w < ui.px(24)) return;
  draw_spread(ui, bar, *spread_of(scene, bar, bar.from, bar.to));
  draw_ramp(ui, "ramp", bar.ramp, bar.scale, bar.from, bar.to);
  ui.frame(bar.ramp, ui.theme.border, std::max(1.f, std::floor(ui.scale())));
  const std::string_view what = words(scene.result.document, stage_look_of(scene.view).stage).short_name;
  ui.text(bar.ramp.x - ui.px(14), bar.ramp.centre_y(), what,
          {type::label, ui.theme.text2, Ink::Regular, Align::Right});
  draw_ends(scene, bar);
  draw_value_tick(scene, bar);
  take_bar_mouse(scene, bar);
  const float from = std::max(area.x, bar.ramp.x - ui.px(84));
  draw_colours(scene, bar, {from, bar.ramp.bottom() + ui.px(1), bar.ramp.x - ui.px(10) - from, ui.px(20)});
  draw_range(scene, area, bar, right + ui.px(16), *spread_of(scene, bar, bar.scale.low, bar.scale.high));
}

}  // namespace attnscope
