// app/views: the colour bar of the focus. It tells the truth: real ends, how the values are spread, what lies
// beyond the ends; its ends can be dragged.
#include <algorithm>
#include <array>
#include <cmath>

#include "app/number_format.hpp"
#include "app/picture.hpp"
#include "app/views/focus/bar_ends.hpp"
#include "app/views/focus/focus_parts.hpp"

namespace attnscope {
namespace {

constexpr int bins = 48;

void draw_histogram(const Scene& scene, const Bar& bar) {
  const Ui& ui = scene.ui;
  const Histogram& histogram = scene.stats.histogram(scene.view.stage, scene.sequence(), scene.head(),
                                                     bar.from, bar.to, bins, bar.scale.log);
  const double most = std::sqrt(static_cast<double>(std::max<std::int64_t>(1, histogram.largest_bin())));
  for (std::size_t i = 0; i < histogram.bins.size() && histogram.cells > 0; ++i) {
    const std::int64_t count = histogram.bins[i];
    if (count == 0) continue;
    const auto height = static_cast<float>(std::sqrt(static_cast<double>(count)) / most) * ui.px(18);
    const float x0 = std::round(bar.ramp.x + bar.ramp.w * static_cast<float>(i) / bins);
    const float x1 = std::round(bar.ramp.x + bar.ramp.w * static_cast<float>(i + 1) / bins);
    ui.fill({x0, bar.ramp.y - ui.px(2) - height, x1 - x0 - 1, height}, ui.theme.bar);
  }
}

/// Beyond an end that cuts values off: a triangle that points outwards.
void draw_beyond(const Ui& ui, const Box& ramp, bool above) {
  const float size = ui.px(6);
  for (float i = 0; i < size; ++i) {
    const float half = std::round((size - i) / size * ramp.h / 2);
    const float x = above ? ramp.right() + ui.px(3) + i : ramp.x - ui.px(4) - i;
    ui.fill({x, ramp.centre_y() - half, 1, 2 * half}, ui.theme.key);
  }
}

/// Where values are cut off: "clipped above 0.4 %", "below 1e−4: 29.3 %".
std::string beyond_words(const Bar& bar, const Histogram& h) {
  const double cells = static_cast<double>(std::max<std::int64_t>(1, h.cells));
  const double above = 100 * static_cast<double>(h.above) / cells,
               below = 100 * static_cast<double>(h.below) / cells;
  if (bar.scale.log && h.above == 0) return "below range " + fixed(below, 1) + " %";
  const std::string_view side = h.above == 0 && h.below > 0   ? "below "
                                : h.below == 0 && h.above > 0 ? "above "
                                                              : "";
  return "clipped " + std::string(side) + fixed(above + below, 1) + " %";
}

void draw_ends(const Scene& scene, const Bar& bar) {
  const Ui& ui = scene.ui;
  const float y = bar.ramp.bottom() + ui.px(11);
  const std::string log = bar.scale.log ? "log " : "";
  const float left = ui.text(bar.ramp.x, y, log + end_text(bar, bar.from), {type::tick, ui.theme.text2});
  const float right = ui.text(bar.ramp.right(), y, end_text(bar, bar.to),
                              {type::tick, ui.theme.text2, Ink::Regular, Align::Right});
  const Plane plane = scene.view.stage;
  const ValueRange own = scene.stats.range(plane, scene.sequence(), scene.head());
  const auto own_end = [&](float v) {
    const auto number = static_cast<double>(v);
    const bool small = plane.is_gradient() || plane.is_error() || (v != 0 && std::abs(v) < 0.0005f);
    return small ? tiny(number) : fixed(number, 3);
  };
  const std::string ends = own_end(own.low) + " … " + own_end(own.high);
  const float room = bar.ramp.w - left - right - ui.px(24);
  for (const std::string& words : {"this head " + ends, ends}) {
    if (ui.text_width(words, type::tick) > room) continue;
    ui.text(bar.ramp.centre_x(), y, words, {type::tick, ui.theme.text3, Ink::Regular, Align::Centre});
    return;
  }
}

/// A tick where the shown cell's value stands.
void draw_value_tick(const Scene& scene, const Bar& bar) {
  const Ui& ui = scene.ui;
  const Plane plane = scene.view.stage;
  if (!scene.stats.tensor(plane)) return;
  const Cell cell = scene.cell();
  const float value = scene.stats.matrix(plane, scene.sequence(), scene.head())(cell.query, cell.key);
  if (!std::isfinite(value)) return;
  const float x = std::round(bar.x(value));
  ui.fill({x - ui.px(1), bar.ramp.bottom(), ui.px(2), ui.px(4)}, ui.theme.query);
}

/// The map of the colours and the logarithm, under the name of the stage.
void draw_colours(Scene& scene, const Bar& bar, const Box& box) {
  const Ui& ui = scene.ui;
  if (!is_weights(scene.view.stage)) return;
  FocusState& focus = scene.view.focus;
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
          which == WeightColours::Magma ? "zero melts into the ground" : std::string_view{};
      if (menu_row(ui, names[i].data(), note, focus.colours == which)) focus.colours = which;
    }
    if (menu_row(ui, "Logarithmic", "small weights can be told apart · L", focus.log)) toggle_log(scene);
  });
}

/// Range mode and clipped share, beside the bar.
void draw_range(Scene& scene, const Box& area, const Bar& bar, float x) {
  const Ui& ui = scene.ui;
  const float width = std::min(area.right() - x, ui.px(288));
  const Histogram& h = scene.stats.histogram(scene.view.stage, scene.sequence(), scene.head(), bar.scale.low,
                                             bar.scale.high, bins, bar.scale.log);
  if (h.above > 0) draw_beyond(ui, bar.ramp, true);
  if (h.below > 0) draw_beyond(ui, bar.ramp, false);
  if (width < ui.px(140)) return;
  const float named = ui.text(x, area.y + ui.px(8), "range",
                              {type::label, ui.theme.text2, Ink::Regular, Align::Left, width / 2});
  ui.text(x + width, area.y + ui.px(8), beyond_words(bar, h),
          {type::tick, h.below + h.above > 0 ? ui.theme.key : ui.theme.text3, Ink::Regular, Align::Right,
           std::max(1.f, width - std::max(named + ui.px(8), ui.px(44)))});
  choose_range(scene, bar, {x, area.y + ui.px(20), width, ui.px(24)});
}

}  // namespace

void draw_colour_bar(Scene& scene, const Box& area, float left, float right) {
  const Ui& ui = scene.ui;
  const Bar bar = planned_bar(scene, {left, area.y + ui.px(22), right - left, ui.px(10)},
                              colour_scale(scene, scene.view.stage, scene.head()));
  if (bar.ramp.w < ui.px(24)) return;
  draw_histogram(scene, bar);
  draw_ramp(ui, "ramp", bar.ramp, bar.scale, bar.from, bar.to);
  ui.frame(bar.ramp, ui.theme.border, std::max(1.f, std::floor(ui.scale())));
  const std::string_view what = words(scene.result.document, scene.view.stage).short_name;
  ui.text(bar.ramp.x - ui.px(14), bar.ramp.centre_y(), what,
          {type::label, ui.theme.text2, Ink::Regular, Align::Right});
  draw_ends(scene, bar);
  draw_value_tick(scene, bar);
  take_bar_mouse(scene, bar);
  const float from = std::max(area.x, bar.ramp.x - ui.px(84));
  draw_colours(scene, bar, {from, bar.ramp.bottom() + ui.px(1), bar.ramp.x - ui.px(10) - from, ui.px(20)});
  draw_range(scene, area, bar, right + ui.px(16));
}

}  // namespace attnscope
