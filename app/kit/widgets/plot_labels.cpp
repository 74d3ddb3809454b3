// app/kit/widgets: the labels of a plot: names under it, names of its series, the value under the mouse; and
// its zoom by mouse.
#include <algorithm>
#include <cmath>

#include "app/kit/ui/number_format.hpp"
#include "app/kit/widgets/plot.hpp"

namespace attnscope {
namespace {

/// 1, 2 or 5 times a power of ten, at least this.
std::int64_t round_step(float least) {
  std::int64_t ten = 1;
  while (static_cast<float>(10 * ten) < least) ten *= 10;
  for (const std::int64_t step : {ten, 2 * ten, 5 * ten})
    if (static_cast<float>(step) >= least) return step;
  return 10 * ten;
}

}  // namespace

void draw_label_axis(const Ui& ui, const Axes& axes, const LabelAxis& names) {
  const float y = axes.area.bottom() + ui.px(11), air = ui.px(5);
  // If more than four names in a row would be left out, places at round numbers are more useful, as on a map.
  const float apart = names.count > 1 ? axes.x(1) - axes.x(0) : axes.area.w;
  const std::int64_t step = apart < ui.px(4) ? round_step(ui.px(40) / std::max(apart, 0.01f)) : 1;
  struct Span {
    std::string text;
    float left, right;
  };
  const auto span = [&](std::int64_t i, Ink ink) {
    const bool is_place = step > 1 && i != names.marked;
    const std::string text = is_place ? grouped(i) : ui.fitted(names.label(i), type::tick, ink, ui.px(64));
    const float half = ui.text_width(text, type::tick, ink) / 2 + air, x = axes.x(static_cast<double>(i));
    return Span{text, x - half, x + half};
  };
  const auto draw = [&](std::int64_t i, const Span& at, Rgba colour, Ink ink) {
    ui.text(axes.x(static_cast<double>(i)), y, at.text, {type::tick, colour, ink, Align::Centre});
  };
  const bool has_marked = names.marked >= 0 && names.marked < names.count;
  const Span marked = has_marked ? span(names.marked, Ink::Semibold) : Span{{}, INFINITY, -INFINITY};
  if (has_marked) draw(names.marked, marked, names.colour, Ink::Semibold);
  float used = -INFINITY;
  for (std::int64_t i = 0; i < names.count; ++i) {
    const float x = axes.x(static_cast<double>(i));
    if (i == names.marked || x - air < used || (x > marked.left && x < marked.right)) continue;
    if (i % step != 0) continue;
    const Span at = span(i, Ink::Regular);
    if (at.left < used || (at.right > marked.left && at.left < marked.right)) continue;
    draw(i, at, ui.theme.text3, Ink::Regular);
    used = at.right;
  }
}

void draw_end_labels(const Ui& ui, const LabelColumn& column, std::span<const EndLabel> labels) {
  const float line = ui.px(13);
  std::vector<float> taken;
  const auto free = [&](float y) {
    return y >= column.top && y <= column.bottom &&
           std::all_of(taken.begin(), taken.end(), [&](float t) { return std::abs(t - y) >= line; });
  };
  for (const EndLabel& label : labels) {
    if (!std::isfinite(label.y)) continue;
    const float wanted = std::clamp(label.y, column.top, std::max(column.top, column.bottom));
    float best = NAN;
    const auto consider = [&](float y) {
      if (free(y) && !(std::abs(y - label.y) >= std::abs(best - label.y))) best = y;
    };
    consider(wanted);
    for (const float t : std::vector<float>(taken)) {
      consider(t - line);
      consider(t + line);
    }
    if (!(std::abs(best - label.y) <= column.reach)) continue;
    taken.push_back(best);
    ui.text(column.x, best, label.text, {type::tick, label.colour, label.ink});
  }
}

void zoom_by_mouse(const Ui::Touch& touch, const Box& area, ZoomRange& range, float least) {
  const ImGuiIO& io = ImGui::GetIO();
  if (area.w < 1) return;
  if (touch.hovered && ImGui::IsMouseDoubleClicked(0)) {
    range = {};
  } else if (touch.hovered && io.MouseWheel != 0) {
    const float at = std::clamp((io.MousePos.x - area.x) / area.w, 0.f, 1.f);
    range = zoomed(range, std::pow(0.8f, io.MouseWheel), at, least);
  } else if (touch.held && ImGui::IsMouseDragging(0, 2)) {
    range = panned(range, -io.MouseDelta.x / area.w);
  }
}

void draw_value_tag(const Ui& ui, const Axes& axes, ImVec2 point, std::string_view text) {
  const float width = ui.text_width(text, type::tick, Ink::Medium) + ui.px(12), height = ui.px(20);
  const float least = axes.area.x - ui.px(4), most = axes.area.right() + ui.px(8) - width;
  const bool right = point.x + ui.px(10) <= most;
  const float x = std::max(least, right ? point.x + ui.px(10) : std::min(most, point.x - ui.px(10) - width));
  const float y = std::clamp(point.y - ui.px(18) - height / 2, axes.area.y, axes.area.bottom() - height);
  const Box box{std::round(x), std::round(y), width, height};
  ui.fill(box, ui.theme.raised, ui.px(4));
  ui.frame(box, ui.theme.border, std::max(1.f, std::floor(ui.scale())), ui.px(4));
  ui.text(box.centre_x(), box.centre_y(), text, {type::tick, ui.theme.text1, Ink::Medium, Align::Centre});
}

}  // namespace attnscope
