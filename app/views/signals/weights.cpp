// app/views/signals: the histogram of the shown head's weights. Few cells have large weights and many have
// tiny ones, so counts are logarithmic; the axis of the weights can be, too.
#include <algorithm>
#include <array>
#include <cmath>

#include "app/kit/ui/number_format.hpp"
#include "app/state/regions/signals_state.hpp"
#include "app/views/signals/histogram.hpp"
#include "app/views/signals/plots.hpp"

namespace attnscope {
namespace {

double height_of_bar(std::int64_t count) { return std::log10(1 + static_cast<double>(count)); }

Bars bars_of(const WeightSpread& spread, const SignalsState& state) {
  return attnscope::bars_of(state.log_weights ? spread.logarithmic : spread.linear, state.weight_zoom);
}

std::string percent(double share) {
  if (share == 0) return "0 %";
  return share < 0.0005 ? "< 0.1 %" : fixed(100 * share, 1) + " %";
}

/// "1", "100", "10 k", "1 M".
std::string power_of_ten(int power) {
  constexpr std::array<std::string_view, 5> units{"", " k", " M", " G", " T"};
  constexpr std::array<std::string_view, 3> digits{"1", "10", "100"};
  return std::string(digits[static_cast<std::size_t>(power % 3)]) +
         std::string(units[static_cast<std::size_t>(std::min(power / 3, 4))]);
}

/// The axis of counts: 1, 10, 100, … cells.
void draw_count_axis(const Ui& ui, const Axes& axes) {
  const float decade = axes.area.h / static_cast<float>(axes.y1);
  const int step = std::max(1, static_cast<int>(std::ceil(ui.px(16) / decade)));
  for (int power = 0; power < axes.y1; power += step) {
    const float y = axes.y(std::log10(1 + std::pow(10.0, power)));
    if (y < axes.area.y) break;
    ui.horizontal(axes.area.x, y, axes.area.w, ui.theme.hairline);
    ui.text(axes.area.x - ui.px(6), y, own(power_of_ten(power)),
            {type::tick, ui.theme.text3, Ink::Regular, Align::Right});
  }
}

/// The logarithmic axis of the weights, in powers of ten: 1e−8 … 1.
void draw_decades(const Ui& ui, const Axes& axes) {
  const double step = nice_step(axes.x1 - axes.x0, 4);
  for (double v = std::ceil(axes.x0 / step - 1e-6) * step; v <= axes.x1 + step * 1e-6; v += step) {
    const double value = std::pow(10.0, v);
    const std::string text = step < 1 ? tiny(value) : value > 0.5 ? "1" : tight(value);
    ui.text(axes.x(v), axes.area.bottom() + ui.px(11), text,
            {type::tick, ui.theme.text3, Ink::Regular, Align::Centre});
  }
}

struct WeightPlot {
  const Scene& scene;
  const WeightSpread& a;
  const WeightSpread* b;
  Bars bars;
  std::optional<Bars> held;
  bool logarithmic;
  Axes axes;
  Box zero;  // the place of the bar of zero weights

  double at(double x) const { return logarithmic ? std::pow(10.0, x) : x; }
};

void draw_bars(const Ui& ui, const WeightPlot& plot) {
  const Box& area = plot.axes.area;
  const Rgba colour = fade(ui.theme.query, 0.8f);
  const auto bar = [&](float left, float right, std::int64_t count, Rgba fill) {
    const float tall = count > 0 ? std::max(ui.px(1), area.bottom() - plot.axes.y(height_of_bar(count))) : 0;
    ui.fill({left, area.bottom() - tall, std::max(1.f, right - left - 1), tall}, fill);
  };
  for (int i = 0; i < Bars::count; ++i) {
    const BarEdges x = bar_edges(plot.axes, i);
    bar(x.left, x.right, plot.bars.counts[static_cast<std::size_t>(i)], colour);
  }
  ui.horizontal(plot.zero.x, area.bottom(), area.right() - plot.zero.x, ui.theme.hairline);
  if (plot.a.zero > 0) {
    bar(plot.zero.x, plot.zero.right(), plot.a.zero, ui.theme.key);
    ui.text(plot.zero.centre_x(), area.bottom() + ui.px(11), "=0",
            {type::tick, ui.theme.key, Ink::Regular, Align::Centre});
  }
  if (plot.held) draw_outline(ui, plot.axes, *plot.held, height_of_bar, ui.theme.b);
  const double half = plot.logarithmic ? std::log10(0.5) : 0.5;
  if (half > plot.axes.x0 && half < plot.axes.x1) {
    const float x = plot.axes.x(half);
    draw_dashes(ui, {{x, area.y + ui.px(18)}, {x, area.bottom()}}, ui.theme.text3, std::max(1.f, ui.px(1)));
  }
}

void draw_shares(const Ui& ui, const WeightPlot& plot) {
  const float y = plot.axes.area.y + ui.px(6);
  float x = plot.axes.area.right();
  const auto say = [&](const std::string& text, Rgba colour) {
    const float width = ui.text_width(text, type::tick);
    if (x - width < plot.axes.area.x) return;
    ui.text(x, y, text, {type::tick, colour, Ink::Regular, Align::Right});
    x -= width + ui.px(14);
  };
  if (plot.a.not_finite > 0) say(grouped(plot.a.not_finite) + " NaN", ui.theme.error);
  say("> 0.5: " + percent(plot.a.share(plot.a.above_half)), ui.theme.text2);
  say("= 0: " + percent(plot.a.share(plot.a.zero)), plot.a.zero > 0 ? ui.theme.key : ui.theme.text2);
  if (plot.b) say("held > 0.5: " + percent(plot.b->share(plot.b->above_half)), ui.theme.b);
}

void draw_read_out(const Ui& ui, const WeightPlot& plot) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const Box& area = plot.axes.area;
  if (mouse.x < area.x) {
    if (plot.a.zero > 0)
      draw_value_tag(ui, plot.axes, {plot.zero.right(), mouse.y},
                     counted(plot.a.zero, "weight is exactly 0", "weights are exactly 0"));
    return;
  }
  const int bar = bar_at(plot.axes, mouse.x);
  const BarEdges x = bar_edges(plot.axes, bar);
  ui.fill({x.left, area.y, x.right - x.left, area.h}, fade(ui.theme.text1, 0.12f));
  const double width = (plot.axes.x1 - plot.axes.x0) / Bars::count;
  const double left = plot.at(plot.axes.x0 + width * bar), right = plot.at(plot.axes.x0 + width * (bar + 1));
  const auto k = static_cast<std::size_t>(bar);
  const std::int64_t count = plot.bars.counts[k];
  std::string text = tiny(left) + " to " + tiny(right) + "   " + counted(count, "cell", "cells");
  if (plot.held) text += "   held " + grouped(plot.held->counts[k]);
  draw_value_tag(ui, plot.axes, {x.right, mouse.y}, text);
}

void choose_axis(SignalsState& state, TitleLine& title) {
  constexpr std::array<std::string_view, 2> names{"0–1", "log"};
  constexpr std::array<Tip, 2> tips{
      Tip{"From 0 to 1", {}, "The wheel zooms, a double click shows all of it."},
      Tip{"Logarithmic", "1e−8 … 1", "For long texts, where every weight is small."}};
  if (const auto chosen = title.choice("Weights axis", names, state.log_weights ? 1 : 0, tips)) {
    state.log_weights = *chosen == 1;
    state.weight_zoom = {};
  }
}

}  // namespace

void draw_weights(const PlotPlace& place) {
  Scene& scene = place.scene;
  const Ui& ui = scene.ui;
  SignalsState& state = signals_of(scene.view);
  TitleLine title(place);
  choose_axis(state, title);
  const Box box = title.finish("cells, log");
  const WeightSpreadPtr spread = scene.stats.weights(scene.sequence(), scene.head());
  const WeightSpread& a = *spread;
  const bool with_held = scene.held && scene.stats.can_compare();
  WeightSpreadPtr held;
  if (with_held) held = scene.held->stats->weights(scene.sequence(), scene.head());
  const WeightSpread* const b = held.get();
  if (a.cells + a.not_finite == 0 && scene.stats.is_computing()) return;  // they are being counted
  if (a.cells + a.not_finite == 0)
    return draw_empty_plot(ui, box, "No weight is left", "The mask hides every cell of this head.");

  WeightPlot plot{scene, a, b, bars_of(a, state), {}, state.log_weights, {}, {}};
  if (b) plot.held = bars_of(*b, state);
  const float gutter = ui.px(a.zero > 0 ? 30 : 2);  // for the bar of zero weights
  const float left = ui.px(34) + gutter;
  const Box area{box.x + left, box.y + ui.px(4), box.w - left - ui.px(8), box.h - ui.px(26)};
  if (area.w < 8 || area.h < 8) return;
  const double most = std::max({height_of_bar(plot.bars.largest()), height_of_bar(a.zero), 1.05,
                                plot.held ? height_of_bar(plot.held->largest()) : 0});
  const double low = state.log_weights ? -WeightSpread::decades : 0, span = state.log_weights ? -low : 1;
  const double shares = std::min(0.4, static_cast<double>(ui.px(18) / area.h));  // room above the bars
  plot.axes = {area, low + span * plot.bars.from, low + span * plot.bars.to, 0, most / (1 - shares)};
  plot.zero = {area.x - gutter + ui.px(2), area.y, a.zero > 0 ? ui.px(10) : 0, area.h};
  Axes counts = plot.axes;  // the hairlines of the counts also cross the bar of zeros
  counts.area.x = plot.zero.x - ui.px(2);
  counts.area.w = area.right() - counts.area.x;
  draw_count_axis(ui, counts);
  draw_bars(ui, plot);
  draw_shares(ui, plot);
  state.log_weights ? draw_decades(ui, plot.axes) : draw_x_axis(ui, plot.axes, 5);

  const Ui::Touch touch = ui.touch("weights spread", counts.area, false);
  zoom_by_mouse(touch, area, state.weight_zoom, least_zoom(WeightSpread::bins));
  if (touch.hovered) draw_read_out(ui, plot);
}

}  // namespace attnscope
