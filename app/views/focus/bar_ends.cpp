#include "app/views/focus/bar_ends.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "app/kit/ui/number_format.hpp"
#include "app/state/regions/focus_state.hpp"
#include "app/state/regions/stage_look.hpp"

namespace attnscope {
namespace {

/// Locks the range with one end at the value; keeps a least distance between the ends.
void set_end(Scene& scene, const Bar& bar, bool is_high, float value) {
  const float least = bar.scale.log ? 1e-12f : (bar.to - bar.from) * 1e-3f;
  float low = bar.scale.low, high = bar.scale.high;
  if (bar.scale.zero_centred) {
    high = std::max(std::abs(value), least);
    low = -high;
  } else if (is_high) {
    high = std::max(value, bar.scale.log ? low * 1.01f : low + least);
  } else {
    low = bar.scale.log ? std::clamp(value, least, high / 1.01f) : std::clamp(value, 0.f, high - least);
  }
  stage_look_of(scene.view).range = RangeMode::Lock;
  stage_look_of(scene.view).locked_range = {low, high};
}

void draw_handle(Scene& scene, const Bar& bar, bool is_high) {
  const Ui& ui = scene.ui;
  if (ui.is_figure()) return;
  const char* const label = is_high ? "Range high end" : "Range low end";
  const float x = bar.x(is_high ? bar.scale.high : bar.scale.low);
  const Box knob{std::round(x) - ui.px(2), bar.ramp.y - ui.px(3), ui.px(4), bar.ramp.h + ui.px(6)};
  const float reach = ui.px(5);
  const Ui::Touch touch =
      ui.touch(label, {knob.x - reach, knob.y - ui.px(3), knob.w + 2 * reach, knob.h + ui.px(6)});
  std::optional<std::array<float, 2>>& taken = focus_gesture_of(scene.view).bar;
  if (touch.hovered && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
    stage_look_of(scene.view).range = RangeMode::All;
  } else if (touch.held && ImGui::IsMouseDragging(ImGuiMouseButton_Left, 1)) {
    // The bar keeps the axis it had when the handle was taken.
    if (!taken) taken = {bar.scale.low, bar.scale.high};
    set_end(scene, bar, is_high, bar.value_at(ImGui::GetIO().MousePos.x));
  } else if (touch.focused) {
    const int step = static_cast<int>(ImGui::IsKeyPressed(ImGuiKey_Equal)) -
                     static_cast<int>(ImGui::IsKeyPressed(ImGuiKey_Minus));
    const float now = bar.ramp.x + (is_high ? bar.ramp.w : 0);
    if (step != 0)
      set_end(scene, bar, is_high, bar.value_at(now + 0.02f * static_cast<float>(step) * bar.ramp.w));
  }
  if (touch.hovered || touch.held) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
  if (touch.hovered || touch.held || touch.focused)
    ui.fill(knob.grown(ui.px(2)), fade(ui.theme.query, 0.3f), ui.px(3));
  ui.fill(knob, touch.held ? ui.theme.query : touch.hovered ? ui.theme.text1 : ui.theme.text3, ui.px(2));
  tooltip(
      ui, touch.hovered && !touch.held, knob,
      {is_high ? "High end" : "Low end",
       {},
       "Drag to set where the colours end; the range is locked there. A double click goes back to all heads.",
       "R"});
}

/// The value under the mouse, shown above the bar.
void read_bar(Scene& scene, const Bar& bar) {
  const Ui& ui = scene.ui;
  const Box area{bar.ramp.x, bar.ramp.y - ui.px(4), bar.ramp.w, bar.ramp.h + ui.px(8)};
  ImGui::SetNextItemAllowOverlap();  // the handles lie on it
  const Ui::Touch touch = ui.touch("Colour bar", area, false);
  if (!touch.hovered || focus_gesture_of(scene.view).bar) return;
  const float mouse = std::clamp(ImGui::GetIO().MousePos.x, bar.ramp.x, bar.ramp.right() - 1);
  const std::string text = end_text(bar, bar.value_at(mouse));
  ui.fill({std::round(mouse), bar.ramp.y - ui.px(2), std::max(1.f, ui.px(1)), bar.ramp.h + ui.px(4)},
          ui.theme.text1);
  const float width = ui.text_width(text, type::tick) + ui.px(12);
  const Box tag{std::round(mouse - width / 2), bar.ramp.y - ui.px(26), width, ui.px(20)};
  ui.fill(tag, ui.theme.raised, ui.px(4));
  ui.frame(tag, ui.theme.border, std::max(1.f, std::floor(ui.scale())), ui.px(4));
  ui.text(tag.centre_x(), tag.centre_y(), text, {type::tick, ui.theme.text1, Ink::Regular, Align::Centre});
}

/// A triangle beyond an end that cuts values off; it points outwards.
void draw_beyond(const Ui& ui, const Box& ramp, bool above) {
  const float size = ui.px(6);
  for (float i = 0; i < size; ++i) {
    const float half = std::round((size - i) / size * ramp.h / 2);
    const float x = above ? ramp.right() + ui.px(3) + i : ramp.x - ui.px(4) - i;
    ui.fill({x, ramp.centre_y() - half, 1, 2 * half}, ui.theme.key);
  }
}

/// The shares of values that are cut off: "clipped above 0.4 %", "below 1e−4: 29.3 %".
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

void choose_range(Scene& scene, const Bar& bar, const Box& box) {
  const Ui& ui = scene.ui;
  constexpr std::array<std::string_view, 4> names{"Head", "Mean", "All", "Lock"};
  const std::array<Tip, 4> tips{
      Tip{"This head", {}, "The bar ends at this head's own largest value.", "R"},
      Tip{"Mean", {}, "Geometric mean of this head's range and that of all heads.", "R"},
      Tip{"All heads", "weights 0 … 1", "One range for all, so that heads can be compared.", "R"},
      Tip{"Lock", {}, "Keeps the ends as they are while knobs move.", "R"}};
  if (const auto chosen = segments(ui, "Range", box, names, static_cast<int>(stage_look_of(scene.view).range),
                                   tips, {.text_size = type::tick})) {
    stage_look_of(scene.view).locked_range = {bar.scale.low, bar.scale.high};
    stage_look_of(scene.view).range = static_cast<RangeMode>(*chosen);
  }
}

}  // namespace

Bar planned_bar(Scene& scene, const Box& ramp, const ColourScale& scale) {
  std::optional<std::array<float, 2>>& taken = focus_gesture_of(scene.view).bar;
  if (!ImGui::IsMouseDown(ImGuiMouseButton_Left)) taken.reset();
  return {ramp, scale, taken ? (*taken)[0] : scale.low, taken ? (*taken)[1] : scale.high};
}

std::string end_text(const Bar& bar, float value) {
  if (value == 0 || value == 1) return fixed(static_cast<double>(value), 0);
  if (bar.scale.log) return tight(static_cast<double>(value));
  if (std::abs(value) < 0.05f) return tiny(static_cast<double>(value));
  return fixed(static_cast<double>(value), bar.to - bar.from > 20 ? 1 : 2);
}

void take_bar_mouse(Scene& scene, const Bar& bar) {
  read_bar(scene, bar);
  draw_handle(scene, bar, false);
  draw_handle(scene, bar, true);
}

void draw_spread(const Ui& ui, const Bar& bar, const Histogram& histogram) {
  const double most = std::sqrt(static_cast<double>(std::max<std::int64_t>(1, histogram.largest_bin())));
  const auto bins = static_cast<float>(histogram.bins.size());
  for (std::size_t i = 0; i < histogram.bins.size() && histogram.cells > 0; ++i) {
    const std::int64_t count = histogram.bins[i];
    if (count == 0) continue;
    const auto height = static_cast<float>(std::sqrt(static_cast<double>(count)) / most) * ui.px(18);
    const float x0 = std::round(bar.ramp.x + bar.ramp.w * static_cast<float>(i) / bins);
    const float x1 = std::round(bar.ramp.x + bar.ramp.w * static_cast<float>(i + 1) / bins);
    ui.fill({x0, bar.ramp.y - ui.px(2) - height, x1 - x0 - 1, height}, ui.theme.bar);
  }
}

void draw_clipped(const Ui& ui, const Bar& bar, const Histogram& at_ends) {
  if (at_ends.above > 0) draw_beyond(ui, bar.ramp, true);
  if (at_ends.below > 0) draw_beyond(ui, bar.ramp, false);
}

void draw_range(Scene& scene, const Box& area, const Bar& bar, float x, const Histogram& at_ends) {
  const Ui& ui = scene.ui;
  const float width = std::min(area.right() - x, ui.px(288));
  draw_clipped(ui, bar, at_ends);
  if (width < ui.px(140)) return;
  const float named = ui.text(x, area.y + ui.px(8), "range",
                              {type::label, ui.theme.text2, Ink::Regular, Align::Left, width / 2});
  ui.text(x + width, area.y + ui.px(8), beyond_words(bar, at_ends),
          {type::tick, at_ends.below + at_ends.above > 0 ? ui.theme.key : ui.theme.text3, Ink::Regular,
           Align::Right, std::max(1.f, width - std::max(named + ui.px(8), ui.px(44)))});
  choose_range(scene, bar, {x, area.y + ui.px(20), width, ui.px(24)});
}

}  // namespace attnscope
