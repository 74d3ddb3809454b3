// app/pages/experiments: one plot over the sweep: lines with their bands over seeds, the chosen value marked
// on each.
#include <algorithm>
#include <array>
#include <cmath>

#include "app/kit/ui/number_format.hpp"
#include "app/kit/ui/powers_of_ten.hpp"
#include "app/kit/widgets/plot.hpp"
#include "app/pages/experiments/parts.hpp"

namespace attnscope {
namespace {

/// Maps numbers to the plot's vertical axis.
struct SweepScale {
  bool log = false;
  double low = 0, high = 1;  // ends of the axis; their logarithms if `log`

  double of(double value) const {
    if (!log) return std::clamp(value, low, high);
    return value > 0 ? std::clamp(std::log10(value), low, high) : low;
  }
};

SweepScale scale_of(const ExperimentPage& page, const PlotRow& plot) {
  double low = INFINITY, high = -INFINITY;
  for (const SeriesRow& series : plot.series)
    for (const auto& measured : page.shown.points) {
      if (!measured) continue;
      const experiments::Band& band = (*measured)[series.quantity];
      for (const double value : {band.least, band.greatest}) {
        if (!std::isfinite(value) || (plot.log && value <= 0)) continue;
        low = std::min(low, value);
        high = std::max(high, value);
      }
    }
  if (!(low <= high)) low = plot.log ? 0.1 : 0, high = 1;
  if (!std::isnan(plot.low)) low = plot.low;
  if (!std::isnan(plot.high)) high = plot.high;
  if (!plot.log) {
    if (std::isnan(plot.low)) low = std::min(0.0, low);
    const double step = nice_step(std::max(high - low, 1e-300), 4);
    if (std::isnan(plot.high)) high = std::ceil(high / step - 1e-9) * step;
    if (!(high > low)) high = low + 1;
    return {false, low, high};
  }
  SweepScale scale{true, std::log10(low), std::log10(high)};
  if (std::isnan(plot.low)) scale.low = std::floor(scale.low + 1e-9);
  if (std::isnan(plot.high)) scale.high = std::ceil(scale.high - 1e-9);
  if (!(scale.high > scale.low)) scale.high = scale.low + 1;
  return scale;
}

std::string tick_words(const PlotRow& plot, double value) {
  if (plot.form == NumberForm::Bytes) return bytes(std::llround(value));
  if (plot.form == NumberForm::Count) return metric(value);
  return value >= 1000 ? metric(value)
                       : tick(value, value == 0 ? 1 : std::pow(10, std::floor(std::log10(value))));
}

void draw_y_tick(const Ui& ui, const Axes& axes, double y, const std::string& words) {
  ui.horizontal(axes.area.x, axes.y(y), axes.area.w, ui.theme.hairline);
  ui.text(axes.area.x - ui.px(6), axes.y(y), words, {type::tick, ui.theme.text3, Ink::Regular, Align::Right});
}

/// Bytes by powers of two, everything else by powers of ten.
void draw_log_ticks(const Ui& ui, const Axes& axes, const PlotRow& plot) {
  const double span = axes.y1 - axes.y0, room = static_cast<double>(axes.area.h / ui.px(26));
  if (plot.form == NumberForm::Bytes) {
    const double two = std::log10(2.0);
    const double every = span / two > 5 * room ? 10 : 5;
    for (double power = std::ceil(axes.y0 / two / every - 1e-9) * every; power * two <= axes.y1 + 1e-9;
         power += every)
      draw_y_tick(ui, axes, power * two, tick_words(plot, std::exp2(power)));
    return;
  }
  const int first = static_cast<int>(std::floor(axes.y0)), last = static_cast<int>(std::ceil(axes.y1));
  const bool fine = span <= 2.4;
  const int every = std::max(1, static_cast<int>(std::ceil(span / room)));
  for (int decade = first; decade <= last; ++decade) {
    if (!fine && (decade - first) % every != 0) continue;
    for (const double part : {1.0, 2.0, 5.0}) {
      if (part > 1 && !fine) break;
      const double value = part * std::pow(10.0, decade), y = std::log10(value);
      if (y < axes.y0 - 1e-9 || y > axes.y1 + 1e-9) continue;
      const bool plain = fine || (decade > -3 && decade < 4) || plot.form != NumberForm::Small;
      draw_y_tick(ui, axes, y, plain ? tick_words(plot, value) : power_of_ten(decade));
    }
  }
}

void draw_linear_ticks(const Ui& ui, const Axes& axes, const PlotRow& plot) {
  const int ticks = std::clamp(static_cast<int>(axes.area.h / ui.px(34)), 2, 4);
  const double span = axes.y1 - axes.y0;
  const bool quarters = span == 1 && ticks == 4;
  double step = quarters ? 0.25 : nice_step(span, ticks);
  if (plot.form == NumberForm::Bytes) step = std::exp2(std::ceil(std::log2(span / ticks) - 1e-9));
  for (double value = std::ceil(axes.y0 / step - 1e-9) * step; value <= axes.y1 + step * 1e-6;
       value += step) {
    const bool small = plot.form == NumberForm::Small && axes.y1 < 1000;
    draw_y_tick(ui, axes, value, small ? tick(value, step) : tick_words(plot, value));
  }
}

/// The line of each value's name, if the values have no order: all names are drawn, in up to three lines if
/// they do not fit side by side.
std::vector<int> kind_lines(const ExperimentPage& page, const Axes& axes) {
  const Ui& ui = page.ui();
  constexpr std::size_t most_lines = 3;
  std::array<float, most_lines> ends;
  ends.fill(-INFINITY);
  std::vector<int> lines;
  for (std::size_t i = 0; i < page.values(); ++i) {
    const float half = ui.text_width(page.value_at(i), type::tick, Ink::Semibold) / 2;
    const float left = axes.x(static_cast<double>(i)) - half;
    std::size_t line = 0;
    while (line + 1 < most_lines && left < ends[line] + ui.px(8)) ++line;
    ends[line] = left + 2 * half;
    lines.push_back(static_cast<int>(line));
  }
  return lines;
}

void draw_kind_ticks(const ExperimentPage& page, const Axes& axes, std::span<const int> lines) {
  const Ui& ui = page.ui();
  for (std::size_t i = 0; i < page.values(); ++i) {
    const bool chosen = i == page.point;
    const float x = axes.x(static_cast<double>(i)), y = axes.area.bottom();
    if (lines[i] > 0)
      ui.vertical(std::round(x), y + ui.px(3), ui.px(13) * static_cast<float>(lines[i]), ui.theme.hairline);
    ui.text(x, y + ui.px(12) + ui.px(14) * static_cast<float>(lines[i]), page.value_at(i),
            {type::tick, chosen ? ui.theme.query : ui.theme.text3, chosen ? Ink::Semibold : Ink::Regular,
             Align::Centre});
  }
}

/// The values of the sweep, as many as fit; the chosen one is always drawn.
void draw_sweep_ticks(const ExperimentPage& page, const Axes& axes, const Box& box) {
  const Ui& ui = page.ui();
  const float y = axes.area.bottom() + ui.px(12), air = ui.px(8);
  struct Taken {
    float left, right;
  };
  std::vector<Taken> taken;
  const auto draw = [&](std::size_t i, bool chosen) {
    const Ink ink = chosen ? Ink::Semibold : Ink::Regular;
    const float half = ui.text_width(page.value_at(i), type::tick, ink) / 2;
    const float x = std::min(axes.x(static_cast<double>(i)), std::max(axes.area.x, box.right() - half));
    const auto meets = [&](Taken t) { return x - half < t.right + air && x + half > t.left - air; };
    if (std::ranges::any_of(taken, meets)) return;
    taken.push_back({x - half, x + half});
    ui.text(x, y, page.value_at(i),
            {type::tick, chosen ? ui.theme.query : ui.theme.text3, ink, Align::Centre});
  };
  const std::size_t count = page.values();
  draw(page.point, true);
  draw(0, false);
  draw(count - 1, false);
  // Every second value if not all fit, every third if these do not, and so on.
  float widest = 0;
  for (std::size_t i = 0; i < count; ++i)
    widest = std::max(widest, ui.text_width(page.value_at(i), type::tick));
  std::size_t every = 1;
  while (static_cast<float>(every) * (axes.x(1) - axes.x(0)) < widest + air && every < count) every *= 2;
  for (std::size_t i = 0; i < count; i += every) draw(i, false);
}

/// The name of the axis, below its `lines` lines of ticks.
void draw_axis_name(const ExperimentPage& page, const Axes& axes, const Box& box, int lines) {
  const Ui& ui = page.ui();
  const float y = axes.area.bottom() + ui.px(12) + ui.px(14) * static_cast<float>(lines - 1);
  if (box.bottom() >= y + ui.px(22))
    ui.text(axes.area.right(), y + ui.px(15), page.words.axis,
            {type::tick, ui.theme.text3, Ink::Regular, Align::Right});
}

struct SweepCurve {
  std::vector<ImVec2> typical, least, greatest;
  std::vector<bool> nan;  // was measured and is NaN
  Rgba colour;
  bool dashed;
  double at = NAN, last = NAN;  // the number at the chosen value and at the end
};

SweepCurve curve_of(const ExperimentPage& page, const SeriesRow& series, const SweepScale& scale) {
  SweepCurve curve;
  curve.colour = hue_of(page.ui().theme, series.hue);
  curve.dashed = series.hue == SeriesHue::Formula || series.hue == SeriesHue::Baseline;
  for (std::size_t i = 0; i < page.shown.points.size(); ++i) {
    const auto& measured = page.shown.points[i];
    const experiments::Band band = measured ? (*measured)[series.quantity] : experiments::Band{};
    const auto x = static_cast<float>(i);
    const auto put = [&](double value) {
      return ImVec2{x, std::isnan(value) ? NAN : static_cast<float>(scale.of(value))};
    };
    curve.typical.push_back(put(band.typical));
    curve.nan.push_back(measured && std::isnan(band.typical));
    curve.least.push_back(put(band.least));
    curve.greatest.push_back(put(band.greatest));
    if (i == page.point) curve.at = band.typical;
    if (!std::isnan(band.typical)) curve.last = band.typical;
  }
  return curve;
}

/// The numbers at the chosen value beside the marked line; they do not overlap.
void draw_read_outs(const ExperimentPage& page, const PlotRow& plot, const Axes& axes,
                    const SweepScale& scale, std::span<const SweepCurve> curves) {
  const Ui& ui = page.ui();
  struct ReadOut {
    float y, place, slope;  // the line's y, the tag's y, the line's slope: below 0 where it rises
    std::string words;
    Rgba colour;
  };
  std::vector<ReadOut> all;
  for (const SweepCurve& curve : curves) {
    if (std::isnan(curve.at) || curve.dashed) continue;
    const float y = axes.y(scale.of(curve.at));
    const auto near = [&](std::size_t i) { return axes.y(static_cast<double>(curve.typical[i].y)); };
    const std::size_t before = page.point == 0 ? 0 : page.point - 1,
                      after = std::min(page.point + 1, curve.typical.size() - 1);
    all.push_back({y, y, near(after) - near(before), written_number(plot.form, curve.at), curve.colour});
  }
  std::ranges::sort(all, {}, &ReadOut::y);
  const float high = ui.px(20), gap = high + ui.px(3);
  // The upper half of the tags is placed above the lines, the lower half below; then overlapping tags are
  // moved apart.
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i].place += i * 2 + 1 < all.size() || all.size() == 1 ? -ui.px(16) : ui.px(16);
  for (std::size_t i = 1; i < all.size(); ++i) all[i].place = std::max(all[i].place, all[i - 1].place + gap);
  const float lowest = axes.area.bottom() - high / 2;
  for (std::size_t i = all.size(); i-- > 0;) {
    const float limit = lowest - gap * static_cast<float>(all.size() - 1 - i);
    all[i].place = std::clamp(all[i].place, axes.area.y + high / 2 + gap * static_cast<float>(i),
                              std::max(limit, axes.area.y + high / 2 + gap * static_cast<float>(i)));
  }
  const float x = axes.x(static_cast<double>(page.point));
  for (const ReadOut& one : all) {
    const float wide = ui.text_width(one.words, type::tick, Ink::Semibold) + ui.px(14);
    // Beside a steep line the tag goes to the side that the line does not cross.
    const bool steep = std::abs(one.slope) > ui.px(8), above = one.place < one.y;
    const bool no_room = x + ui.px(12) + wide > axes.area.right() + ui.px(4);
    const bool left = no_room || (steep && above == (one.slope < 0) && x - ui.px(12) - wide > axes.area.x);
    const Box tag{std::round(left ? x - ui.px(12) - wide : x + ui.px(12)), std::round(one.place - high / 2),
                  wide, high};
    if (!page.words.kinds) {
      ui.disc({x, one.y}, ui.px(4), one.colour);
      ui.ring({x, one.y}, ui.px(4.5f), ui.theme.panel, ui.px(1));
    }
    ui.fill(tag, ui.theme.raised, ui.px(4));
    ui.frame(tag, ui.theme.border, std::max(1.f, std::floor(ui.scale())), ui.px(4));
    ui.text(tag.centre_x(), tag.centre_y(), one.words,
            {type::tick, one.colour, Ink::Semibold, Align::Centre});
  }
}

/// The smallest vertical distance from words centred at `at`, of half width `half`, to the curve.
float air_around(const Axes& axes, const SweepCurve& curve, ImVec2 at, float half) {
  float air = INFINITY;
  for (std::size_t i = 0; i + 1 < curve.typical.size(); ++i)
    for (const float part : {0.f, 0.25f, 0.5f, 0.75f, 1.f}) {
      const ImVec2 a = curve.typical[i], b = curve.typical[i + 1];
      if (std::abs(axes.x(static_cast<double>(a.x + part)) - at.x) > half) continue;
      const float height = axes.y(static_cast<double>(a.y + part * (b.y - a.y)));
      if (std::isfinite(height)) air = std::min(air, std::abs(height - at.y));
    }
  return air;
}

/// Writes the name of the dashed line beside it, as far as possible from the other lines and the chosen
/// value.
void draw_baseline_name(const Ui& ui, const Axes& axes, const PlotRow& plot,
                        std::span<const SweepCurve> curves, float chosen) {
  const auto dashed = std::ranges::find_if(curves, [](const SweepCurve& curve) { return curve.dashed; });
  if (plot.baseline.empty() || dashed == curves.end()) return;
  const float half = ui.text_width(plot.baseline, type::tick) / 2 + ui.px(4);
  ImVec2 best_at{};
  float best = ui.px(7);
  for (const ImVec2 point : dashed->typical)
    for (const float side : {-ui.px(12), ui.px(12)}) {
      const ImVec2 at{axes.x(static_cast<double>(point.x)), axes.y(static_cast<double>(point.y)) + side};
      if (!std::isfinite(at.y) || at.x - half < axes.area.x || at.x + half > axes.area.right()) continue;
      if (at.y < axes.area.y + ui.px(7) || at.y > axes.area.bottom() - ui.px(8)) continue;
      // Read-outs stand beside the chosen value's line.
      float air = std::abs(at.x - chosen) - half - ui.px(chosen < at.x ? 60 : 4);
      for (const SweepCurve& curve : curves) air = std::min(air, air_around(axes, curve, at, half));
      if (air <= best) continue;
      best = air;
      best_at = at;
    }
  if (best > ui.px(7))
    ui.text(best_at.x, best_at.y, plot.baseline, {type::tick, dashed->colour, Ink::Regular, Align::Centre});
}

/// Values without an order: a bar for each, side by side.
void draw_kind_bars(const Ui& ui, const Axes& axes, std::span<const SweepCurve> curves, bool says_nan) {
  const auto count = static_cast<float>(curves.size());
  const float widest = ui.px(says_nan ? 14 : 10);  // "NaN" is written upright and needs a letter's height
  const float wide = std::min(widest, std::floor((axes.x(1) - axes.x(0)) / (count + 1)));
  for (std::size_t k = 0; k < curves.size(); ++k) {
    const SweepCurve& curve = curves[k];
    for (std::size_t i = 0; i < curve.typical.size() && !curve.dashed; ++i) {
      const ImVec2 point = curve.typical[i];
      const float x = axes.x(static_cast<double>(point.x)) + (static_cast<float>(k) - count / 2) * wide;
      if (says_nan && curve.nan[i])
        ui.upright_text(x + wide / 2, axes.area.centre_y() + ui.px(14), "NaN",
                        {type::tick, curve.colour, Ink::Semibold});
      if (!std::isfinite(point.y)) continue;
      const float top = std::min(axes.y(static_cast<double>(point.y)), axes.area.bottom() - ui.px(1));
      const Box bar{std::round(x), std::round(top), wide - 1, axes.area.bottom() - std::round(top)};
      ui.fill(bar, curve.colour);
      const float least = axes.y(static_cast<double>(curve.least[i].y)),
                  greatest = axes.y(static_cast<double>(curve.greatest[i].y));
      if (least - greatest > ui.px(2))
        ui.vertical(std::floor(bar.centre_x()), greatest, least - greatest, ui.theme.text3);
    }
  }
}

}  // namespace

Rgba hue_of(const Theme& theme, SeriesHue hue) {
  switch (hue) {
    case SeriesHue::A: return theme.text1;
    case SeriesHue::B: return theme.b;
    case SeriesHue::Third: return theme.value;
    case SeriesHue::Fourth: return theme.error;
    case SeriesHue::Fifth:
    case SeriesHue::Formula: return theme.key;
    case SeriesHue::Baseline: break;
  }
  return theme.text3;
}

void draw_experiment_plot(const ExperimentPage& page, const PlotRow& plot, const Box& box,
                          std::size_t index) {
  const Ui& ui = page.ui();
  const float top = plot_title(ui, box, plot.title, plot.unit) + ui.px(6);
  if (plot.draw != nullptr) return plot.draw(page, {box.x, top, box.w, std::max(1.f, box.bottom() - top)});
  const SweepScale scale = scale_of(page, plot);
  const float left = ui.px(plot.form == NumberForm::Bytes || plot.form == NumberForm::Count ? 62 : 46);
  Axes axes;
  axes.area = {box.x + left, top, std::max(ui.px(40), box.w - left - ui.px(page.narrow ? 44 : 52)),
               std::max(ui.px(30), box.bottom() - top - ui.px(36))};
  axes.x0 = page.words.kinds ? -0.5 : 0;
  axes.x1 = static_cast<double>(std::max<std::size_t>(1, page.values() - 1)) - axes.x0;
  axes.y0 = scale.low;
  axes.y1 = scale.high;
  const std::vector<int> lines = page.words.kinds ? kind_lines(page, axes) : std::vector<int>{0};
  const int line_count = 1 + *std::ranges::max_element(lines);
  axes.area.h = std::max(ui.px(30), axes.area.h - ui.px(14) * static_cast<float>(line_count - 1));
  const std::string label = "experiment plot " + std::to_string(index);
  const Ui::Touch touch = ui.touch(label.c_str(), axes.area.grown(ui.px(4)), false);
  if (touch.held && ImGui::GetIO().MouseDown[0]) {
    const double at = std::max(0.0, axes.x_at(ImGui::GetIO().MousePos.x));
    page.choose(static_cast<std::size_t>(std::lround(at)));
  }
  if (touch.hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
  plot.log ? draw_log_ticks(ui, axes, plot) : draw_linear_ticks(ui, axes, plot);
  page.words.kinds ? draw_kind_ticks(page, axes, lines) : draw_sweep_ticks(page, axes, box);
  draw_axis_name(page, axes, box, line_count);

  std::vector<SweepCurve> curves;
  for (const SeriesRow& series : plot.series) curves.push_back(curve_of(page, series, scale));
  ui.clip(axes.area.grown(ui.px(3)));
  for (const SweepCurve& curve : curves) {
    if (curve.dashed || page.words.kinds || page.shown.experiment->seeds < 2) continue;
    const Rgba pale = fade(curve.colour, 0.2f);
    fill_between(ui, axes, curve.greatest, curve.least, {pale, pale});
  }
  if (page.words.kinds) draw_kind_bars(ui, axes, curves, plot.nan);
  for (const SweepCurve& curve : curves) {
    if (page.words.kinds && !curve.dashed) continue;
    curve.dashed ? draw_dashed_curve(ui, axes, curve.typical, curve.colour, ui.px(1.5f))
                 : draw_curve(ui, axes, curve.typical, curve.colour, ui.px(2));
  }
  ui.unclip();
  const float x = axes.x(static_cast<double>(page.point));
  draw_dashes(ui, {{x, axes.area.y}, {x, axes.area.bottom()}}, ui.theme.query, ui.px(1.5f));
  draw_baseline_name(ui, axes, plot, curves, x);
  std::vector<EndLabel> ends;
  for (const SweepCurve& curve : curves)
    if (!std::isnan(curve.last) && !curve.dashed && !page.words.kinds)
      ends.push_back(
          {axes.y(scale.of(curve.last)), written_number(plot.form, curve.last), curve.colour, Ink::Regular});
  draw_end_labels(ui, {axes.area.right() + ui.px(7), axes.area.y, axes.area.bottom()}, ends);
  draw_read_outs(page, plot, axes, scale, curves);
}

}  // namespace attnscope
