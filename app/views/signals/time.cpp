// app/views/signals: entropy, weight and scale of the chosen cell over time, as on an oscilloscope: freeze,
// time base, a trigger level that can be dragged, a cursor with the values.
#include <algorithm>
#include <array>
#include <cmath>

#include "app/kit/ui/number_format.hpp"
#include "app/state/regions/signals_state.hpp"
#include "app/state/window_state.hpp"
#include "app/views/signals/plots.hpp"
#include "core/document/known.hpp"

namespace attnscope {
namespace {

constexpr float margin = 74;  // right of the plot: names of the traces, trigger and time base

/// The window of time in sight. Its x axis counts from `zero`: now, the time of freezing, or the time at
/// which the trigger level was crossed.
struct TimeWindow {
  const Oscilloscope& scope;
  double zero, trace_end;
  Axes axes;

  double seconds(double x) const { return zero + x; }
};

std::optional<double> held_entropy(const Scene& scene) {
  const TracedCell& cell = scope_of(scene.view).cell();
  const Measures* held = held_measures(scene);
  if (!held || cell.sequence >= held->batch || cell.head >= held->heads || cell.query >= held->queries)
    return std::nullopt;
  const double entropy = held->row(cell.sequence, cell.head, cell.query).entropy;
  return std::isfinite(entropy) ? std::optional(entropy) : std::nullopt;
}

/// The upper end of the axis: the largest of ln(allowed), the recorded entropies and the trigger's level. A
/// scale factor above it is drawn at the upper edge.
double highest(const Scene& scene, const Oscilloscope& scope) {
  double most =
      std::clamp(static_cast<double>(signals_of(scene.view).trigger.level), 1.0, 20.0);  // e^20 keys
  for (std::size_t i = 0; i < scope.moments().size(); ++i) {
    const Moment& moment = scope.moments()[i];
    most = std::fmax(most, static_cast<double>(std::fmax(moment.entropy, moment.ceiling)));
  }
  return most;
}

TimeWindow window_of(const Scene& scene, const Box& area) {
  const ViewState& view = scene.view;
  const double base = signals_of(view).seconds;
  const double end = scope_of(view).axis_end(view.now, base);
  const double zero = scope_of(view).crossing().value_or(end);
  const ZoomRange& zoom = signals_of(view).time_zoom;
  const auto at = [&](float share) { return end - base + base * static_cast<double>(share) - zero; };
  return {scope_of(view),
          zero,
          scope_of(view).trace_end(view.now),
          {area, at(zoom.from), at(zoom.to), 0, highest(scene, scope_of(view)) * 1.06}};
}

/// The trace as steps: the values of a moment hold until the next.
std::vector<ImVec2> steps_of(const TimeWindow& window, float Moment::*value) {
  std::vector<ImVec2> points;
  const MomentRing& moments = window.scope.moments();
  for (std::size_t i = 0; i < moments.size(); ++i) {
    const double from = moments[i].seconds - window.zero;
    const double to = (i + 1 < moments.size() ? moments[i + 1].seconds : window.trace_end) - window.zero;
    if (to < window.axes.x0 || from > window.axes.x1) continue;
    const float y = std::min(moments[i].*value, static_cast<float>(window.axes.y1));
    points.push_back({static_cast<float>(std::max(from, window.axes.x0)), y});
    points.push_back({static_cast<float>(std::clamp(to, from, std::max(from, window.axes.x1))), y});
  }
  return points;
}

void draw_time_axis(const Ui& ui, const TimeWindow& window) {
  const Axes& axes = window.axes;
  const double step = nice_step(axes.x1 - axes.x0, 4);
  const bool crossed = window.scope.crossing().has_value();
  const std::string_view zero = crossed ? "T" : window.scope.frozen() ? "stop" : "now";
  for (double t = std::ceil(axes.x0 / step - 1e-9) * step; t <= axes.x1 + step * 1e-6; t += step) {
    const bool is_zero = std::abs(t) < step * 1e-6;
    ui.text(axes.x(t), axes.area.bottom() + ui.px(11), is_zero ? std::string(zero) : tick(t, step),
            {type::tick, is_zero && crossed ? ui.theme.query : ui.theme.text3, Ink::Regular, Align::Centre});
  }
  if (crossed) {
    draw_dashes(ui, {{axes.x(0), axes.area.y}, {axes.x(0), axes.area.bottom()}}, ui.theme.query,
                std::max(1.f, ui.px(1)));
  } else if (axes.x1 >= 0) {
    ui.vertical(axes.x(0), axes.area.y, axes.area.h, ui.theme.border);
  }
}

/// The title of the time axis. Time without frames is not on it.
void draw_time_title(const Ui& ui, const Box& area) {
  ui.text(area.centre_x(), area.bottom() + ui.px(25), "seconds in motion",
          {type::tick, ui.theme.text3, Ink::Regular, Align::Centre, area.w});
}

void draw_traces(const Scene& scene, const TimeWindow& window, float labels_top) {
  const Ui& ui = scene.ui;
  const Axes& axes = window.axes;
  const double end = std::min(window.trace_end - window.zero, axes.x1);
  const std::optional<Moment> last = window.scope.at(window.seconds(end));
  std::vector<EndLabel> ends;
  const auto trace = [&](float Moment::*value, const std::string& name, Rgba colour, float thickness) {
    draw_curve(ui, axes, steps_of(window, value), colour, thickness);
    if (!last || !std::isfinite((*last).*value)) return;
    const double at = static_cast<double>((*last).*value), drawn = std::min(at, axes.y1);
    ui.disc({axes.x(end), axes.y(drawn)}, ui.px(3), colour);
    const std::string number = at != 0 && std::abs(at) < 0.005 ? tight(at) : fixed(at, 2);
    ends.push_back({axes.y(drawn), (at > axes.y1 ? "↑ " : "") + name + number, colour, Ink::Medium});
  };
  if (const auto held = held_entropy(scene)) {
    const float y = axes.y(*held);
    draw_dashes(ui, {{axes.area.x, y}, {axes.area.right(), y}}, ui.theme.b, std::max(1.f, 1.5f * ui.scale()));
    ends.push_back({y, "held " + fixed(*held, 2), ui.theme.b, Ink::Medium});
  }
  if (knows_scores(scene.result.document)) trace(&Moment::scale, "×", ui.theme.text3, 1 * ui.scale());
  trace(&Moment::weight, "w ", ui.theme.key, 2 * ui.scale());
  trace(&Moment::entropy, "H ", ui.theme.query, 2 * ui.scale());
  std::reverse(ends.begin(), ends.end());              // the first label, that of the entropy, is not moved
  const float lowest = axes.area.bottom() - ui.px(9);  // clear of the time base
  draw_end_labels(ui, {axes.area.right() + ui.px(9), labels_top, lowest}, ends);
}

/// The trigger level: a line that can be dragged up and down, with the trigger's state.
void draw_level(Scene& scene, const TimeWindow& window) {
  const Oscilloscope& scope = window.scope;
  if (scope.state() == Oscilloscope::State::Off) return;
  const Ui& ui = scene.ui;
  const Axes& axes = window.axes;
  Trigger& trigger = signals_of(scene.view).trigger;
  const float y = axes.y(static_cast<double>(trigger.level));
  const Box grip{axes.area.x, y - ui.px(5), axes.area.w, ui.px(10)};
  const Ui::Touch touch = ui.touch("Trigger level", grip, false);
  if (touch.hovered || touch.held) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeNS);
  if (touch.held && ImGui::IsMouseDragging(0, 1)) {
    const double level = axes.y_at(ImGui::GetIO().MousePos.y);
    trigger.level = static_cast<float>(std::clamp(level, 0.0, axes.y1 / 1.06));
  }
  const bool lit = touch.hovered || touch.held;
  draw_dashes(ui, {{axes.area.x, y}, {axes.area.right(), y}}, lit ? ui.theme.query : ui.theme.text2,
              std::max(1.f, ui.px(lit ? 2 : 1)));
  const bool armed = scope.state() == Oscilloscope::State::Armed;
  const std::string text =
      std::string(armed ? "armed" : "triggered") + " at H " +
      own_number(fixed(static_cast<double>(trigger.level), 2) + (trigger.edge == Edge::Rising ? " ↑" : " ↓"));
  const float width = std::min(ui.text_width(text, type::tick, Ink::Medium), axes.area.w - ui.px(8));
  const float at = y - ui.px(19) >= axes.area.y ? y - ui.px(11) : y + ui.px(11);
  ui.fill({axes.area.x + ui.px(2), at - ui.px(8), width + ui.px(6), ui.px(16)}, fade(ui.theme.panel, 0.8f),
          ui.px(4));
  ui.text(axes.area.x + ui.px(5), at, text,
          {type::tick, ui.theme.query, Ink::Medium, Align::Left, width + 1});
  tooltip(ui, touch.hovered && !touch.held, grip,
          {"Trigger level", "freezes when H crosses it",
           "Drag it. The crossing comes to stand in the middle of the plot."});
}

/// The values at the time under the mouse.
void read_off(const Shown& shown, const TimeWindow& window) {
  const Ui& ui = shown.ui;
  const Axes& axes = window.axes;
  const float x = ImGui::GetIO().MousePos.x;
  const double t = axes.x_at(x);
  ui.vertical(x, axes.area.y, axes.area.h, ui.theme.text3);
  const std::optional<Moment> at =
      t <= window.trace_end - window.zero ? window.scope.at(window.seconds(t)) : std::nullopt;
  const ImVec2 point{x, ImGui::GetIO().MousePos.y};
  if (!at) return draw_value_tag(ui, axes, point, fixed(t, 1) + " s   nothing here");
  const Moment there = at.value_or(Moment{});
  const auto dot = [&](float value, Rgba colour) {
    if (std::isfinite(value))
      ui.disc({x, axes.y(std::min(static_cast<double>(value), axes.y1))}, ui.px(3), colour);
  };
  const bool scaled = knows_scores(shown.result.document);
  if (scaled) dot(there.scale, ui.theme.text3);
  dot(there.weight, ui.theme.key);
  dot(there.entropy, ui.theme.query);
  draw_value_tag(
      ui, axes, point,
      fixed(t, 1) + " s   H " +
          (std::isnan(there.entropy) ? own_number("n/a") : fixed(static_cast<double>(there.entropy), 2)) +
          "   w " + fixed(static_cast<double>(there.weight), 2) +
          (scaled ? "   ×" + fixed(static_cast<double>(there.scale), 2) : std::string()));
}

void draw_trigger_switches(Scene& scene, const Box& row) {
  const Ui& ui = scene.ui;
  if (ui.is_figure()) return;
  Oscilloscope& scope = scope_of(scene.view);
  Trigger& trigger = signals_of(scene.view).trigger;
  const Box edge{row.x, row.y, ui.px(18), row.h};
  const Box arm{edge.right() + ui.px(2), row.y, row.right() - edge.right() - ui.px(2), row.h};
  const auto draw = [&](const Ui::Touch& touch, const Box& box, std::string_view text, Rgba ink) {
    ui.fill(box, touch.hovered ? ui.theme.control_hover : ui.theme.control, ui.px(4));
    if (touch.focused) ui.frame(box.grown(ui.px(2)), ui.theme.query, ui.px(2), ui.px(6));
    ui.text(box.centre_x(), box.centre_y(), text, {type::tick, ink, Ink::Medium, Align::Centre, box.w});
  };
  const Ui::Touch flip = ui.touch("Trigger edge", edge);
  draw(flip, edge, trigger.edge == Edge::Rising ? "↑" : "↓", ui.theme.text1);
  tooltip(ui, flip.hovered, edge,
          {"Edge", "↑ from below, ↓ from above", "Which way the entropy must cross the level."});
  if (flip.clicked) trigger.edge = trigger.edge == Edge::Rising ? Edge::Falling : Edge::Rising;

  using State = Oscilloscope::State;
  const State state = scope.state();
  const Ui::Touch touch = ui.touch("Trigger", arm);
  draw(touch, arm,
       state == State::Off     ? "Trigger"
       : state == State::Armed ? "Armed"
                               : "Re-arm",
       state == State::Armed ? ui.theme.query : ui.theme.text1);
  tooltip(ui, touch.hovered, arm,
          {"Trigger", "freezes when H crosses the level",
           state == State::Armed ? "Waits for the crossing; a click calls it off."
                                 : "A click arms it: a level appears that can be dragged."});
  if (!touch.clicked) return;
  if (state == State::Armed) {
    scope.disarm();
  } else {
    scope.arm();
  }
}

void draw_time_base(Scene& scene, const Box& box) {
  if (scene.ui.is_figure()) return;
  constexpr std::array<std::string_view, 3> names{"4", "8", "30"};
  constexpr std::array<int, 3> seconds{4, 8, 30};
  constexpr Tip tip{"Time base", "seconds in sight", "Time runs only while something moves."};
  SignalsState& state = signals_of(scene.view);
  const auto now = std::find(seconds.begin(), seconds.end(), state.seconds) - seconds.begin();
  if (const auto chosen = segments(scene.ui, "Time base", box, names, static_cast<int>(now),
                                   std::array{tip, tip, tip}, {.text_size = type::tick})) {
    state.seconds = seconds[static_cast<std::size_t>(*chosen)];
    state.time_zoom = {};
  }
}

Box draw_title(Scene& scene, const PlotPlace& place) {
  Oscilloscope& scope = scope_of(scene.view);
  TitleLine title(place);
  if (title.tool("Hold", "Hold", false,
                 {"Hold", "now − held", "What is on screen is held, to compare with what comes.", "\\"}))
    scene.requests.hold = true;
  const bool frozen = scope.frozen();
  if (title.tool("Freeze", frozen ? "Frozen" : "Freeze", frozen,
                 {"Freeze", {}, "The trace stands still and can be read; again: it goes on.", "F"}))
    scope.turn(scene.view.now);
  const bool stands = frozen || scope.crossing();
  return title.finish((stands ? "" : "last ") + std::to_string(signals_of(scene.view).seconds) + " s");
}

}  // namespace

void draw_time(const PlotPlace& place) {
  Scene& scene = place.scene;
  const Ui& ui = scene.ui;
  const Box box = draw_title(scene, place);
  const bool titled = box.h >= ui.px(96);
  const Box area{box.x + ui.px(28), box.y + ui.px(8), box.w - ui.px(28 + margin),
                 box.h - ui.px(titled ? 42 : 30)};
  if (area.w < ui.px(24) || area.h < 8) return;
  const float x = area.right() + ui.px(8), width = box.right() - x;
  draw_trigger_switches(scene, {x, area.y - ui.px(6), width, ui.px(18)});
  draw_time_base(scene, {x + ui.px(6), area.bottom() + ui.px(2), width - ui.px(6), ui.px(20)});

  const TimeWindow window = window_of(scene, area);
  draw_y_axis(ui, window.axes, area.h < ui.px(80) ? 3 : 4);
  draw_time_axis(ui, window);
  if (titled) draw_time_title(ui, area);
  draw_traces(scene, window, area.y + ui.px(20));
  if (window.scope.moments().size() < 2 && !window.scope.frozen()) {
    const Box words{area.x, std::round(area.centre_y() - ui.px(20)), area.w - 1, ui.px(40)};
    ui.fill(words, ui.theme.panel);
    ui.text(area.centre_x(), area.centre_y() - ui.px(9), "Nothing has moved yet",
            {type::label, ui.theme.text2, Ink::Medium, Align::Centre, area.w});
    ui.text(area.centre_x(), area.centre_y() + ui.px(9), "Drag a knob: it runs here",
            {type::tick, ui.theme.text3, Ink::Regular, Align::Centre, area.w});
  }
  draw_level(scene, window);
  const Ui::Touch touch = ui.touch("against time", area, false);
  zoom_by_mouse(touch, area, signals_of(scene.view).time_zoom, 1 / 64.f);
  if (!touch.hovered) return;
  scene.view.hint = "Time runs only while something moves.";
  read_off(scene, window);
}

}  // namespace attnscope
