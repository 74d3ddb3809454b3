// app/views/experiments: one plot over the sweep: lines with their bands over seeds, the chosen value marked
// on each.
#include <algorithm>
#include <array>
#include <cmath>

#include "app/ui/number_format.hpp"
#include "app/views/experiments/page.hpp"
#include "app/widgets/plot.hpp"

namespace attnscope {
namespace {

/// From numbers to the plot's vertical axis.
struct SweepScale {
  bool log = false;
  double low = 0, high = 1;  // of the axis: logarithms where it is one

  double of(double value) const {
    if (!log) return std::clamp(value, low, high);
    return value > 0 ? std::clamp(std::log10(value), low, high) : low;
  }
};

SweepScale scale_of(const ExperimentPage& page, const PlotRow& plot) {
  double low = INFINITY, high = -INFINITY;
  for (const SeriesRow& series : plot.series)
    for (const auto& measured : page.sight.points) {
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

std::string power_words(int exponent) {
  constexpr std::array<std::string_view, 10> digits{"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string out = "10";
  if (exponent < 0) out += "⁻";
  for (const char c : std::to_string(std::abs(exponent))) out += digits[static_cast<std::size_t>(c - '0')];
  return out;
}

std::string tick_words(const PlotRow& plot, double value) {
  if (plot.form == NumberForm::Bytes) return bytes(std::llround(value));
  if (plot.form == NumberForm::Count) return metric(value);
  return value >= 1000 ? metric(value)
                       : tick(value, value == 0 ? 1 : std::pow(10, std::floor(std::log10(value))));
}

void draw_log_ticks(const Ui& ui, const Axes& axes, const PlotRow& plot) {
  const int first = static_cast<int>(std::floor(axes.y0)), last = static_cast<int>(std::ceil(axes.y1));
  const bool fine = axes.y1 - axes.y0 <= 2.4;
  const int every =
      std::max(1, static_cast<int>(std::ceil((axes.y1 - axes.y0) * static_cast<double>(ui.px(26)) /
                                             static_cast<double>(axes.area.h))));
  for (int decade = first; decade <= last; ++decade) {
    if (!fine && (decade - first) % every != 0) continue;
    for (const double part : {1.0, 2.0, 5.0}) {
      if (part > 1 && !fine) break;
      const double value = part * std::pow(10.0, decade), y = std::log10(value);
      if (y < axes.y0 - 1e-9 || y > axes.y1 + 1e-9) continue;
      ui.horizontal(axes.area.x, axes.y(y), axes.area.w, ui.theme.hairline);
      const bool plain = fine || (decade > -3 && decade < 4) || plot.form != NumberForm::Small;
      ui.text(axes.area.x - ui.px(6), axes.y(y), plain ? tick_words(plot, value) : power_words(decade),
              {type::tick, ui.theme.text3, Ink::Regular, Align::Right});
    }
  }
}

void draw_linear_ticks(const Ui& ui, const Axes& axes, const PlotRow& plot) {
  const int ticks = std::clamp(static_cast<int>(axes.area.h / ui.px(34)), 2, 4);
  const bool quarters = axes.y1 - axes.y0 == 1 && ticks == 4;
  const double step = quarters ? 0.25 : nice_step(axes.y1 - axes.y0, ticks);
  for (double value = std::ceil(axes.y0 / step - 1e-9) * step; value <= axes.y1 + step * 1e-6;
       value += step) {
    ui.horizontal(axes.area.x, axes.y(value), axes.area.w, ui.theme.hairline);
    const std::string words =
        plot.form == NumberForm::Small && axes.y1 < 1000 ? tick(value, step) : tick_words(plot, value);
    ui.text(axes.area.x - ui.px(6), axes.y(value), words,
            {type::tick, ui.theme.text3, Ink::Regular, Align::Right});
  }
}

/// The values of the sweep, as many as have room.
void draw_sweep_ticks(const ExperimentPage& page, const Axes& axes, const Box& box) {
  const Ui& ui = page.ui();
  const float y = axes.area.bottom() + ui.px(12);
  const std::string axis(page.words.axis);
  float used = -INFINITY;
  const auto count = page.values();
  float widest = 0;
  for (std::size_t i = 0; i < count; ++i)
    widest = std::max(widest, ui.text_width(page.value_at(i), type::tick));
  const float step = axes.area.w / static_cast<float>(std::max<std::size_t>(1, count - 1));
  const auto every = static_cast<std::size_t>(std::max(1.f, std::ceil((widest + ui.px(10)) / step)));
  for (std::size_t i = 0; i < count; i += every) {
    const float x = axes.x(static_cast<double>(i)), half = ui.text_width(page.value_at(i), type::tick) / 2;
    if (x - half < used) continue;
    ui.text(x, y, page.value_at(i), {type::tick, ui.theme.text3, Ink::Regular, Align::Centre});
    used = x + half + ui.px(6);
  }
  if (box.bottom() >= y + ui.px(22))
    ui.text(axes.area.right(), y + ui.px(15), page.words.axis,
            {type::tick, ui.theme.text3, Ink::Regular, Align::Right});
}

struct SweepCurve {
  std::vector<ImVec2> typical, least, greatest;
  Rgba colour;
  bool dashed;
  double at = NAN, last = NAN;  // the number at the chosen value and at the end
};

SweepCurve curve_of(const ExperimentPage& page, const SeriesRow& series, const SweepScale& scale) {
  SweepCurve curve;
  curve.colour = hue_of(page.ui().theme, series.hue);
  curve.dashed = series.hue == SeriesHue::Formula || series.hue == SeriesHue::Baseline;
  for (std::size_t i = 0; i < page.sight.points.size(); ++i) {
    const auto& measured = page.sight.points[i];
    const experiments::Band band = measured ? (*measured)[series.quantity] : experiments::Band{};
    const auto x = static_cast<float>(i);
    const auto put = [&](double value) {
      return ImVec2{x, std::isnan(value) ? NAN : static_cast<float>(scale.of(value))};
    };
    curve.typical.push_back(put(band.typical));
    curve.least.push_back(put(band.least));
    curve.greatest.push_back(put(band.greatest));
    if (i == page.point) curve.at = band.typical;
    if (!std::isnan(band.typical)) curve.last = band.typical;
  }
  return curve;
}

/// The chosen numbers beside the marked line, none over another.
void draw_read_outs(const ExperimentPage& page, const PlotRow& plot, const Axes& axes,
                    const SweepScale& scale, std::span<const SweepCurve> curves) {
  const Ui& ui = page.ui();
  struct ReadOut {
    float y, place, slope;  // of the line: below 0 where it rises
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
  // The upper half stands above its line, the lower half below; then they make room for each other.
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
    // Beside a line that runs up or down, where it is not.
    const bool steep = std::abs(one.slope) > ui.px(8), above = one.place < one.y;
    const bool no_room = x + ui.px(12) + wide > axes.area.right() + ui.px(4);
    const bool left = no_room || (steep && above == (one.slope < 0) && x - ui.px(12) - wide > axes.area.x);
    const Box tag{std::round(left ? x - ui.px(12) - wide : x + ui.px(12)), std::round(one.place - high / 2),
                  wide, high};
    ui.disc({x, one.y}, ui.px(4), one.colour);
    ui.ring({x, one.y}, ui.px(4.5f), ui.theme.panel, ui.px(1));
    ui.fill(tag, ui.theme.raised, ui.px(4));
    ui.frame(tag, ui.theme.border, std::max(1.f, std::floor(ui.scale())), ui.px(4));
    ui.text(tag.centre_x(), tag.centre_y(), one.words,
            {type::tick, one.colour, Ink::Semibold, Align::Centre});
  }
}

/// What a dashed line is called, above it at its right end.
void draw_baseline_name(const Ui& ui, const Axes& axes, const PlotRow& plot,
                        std::span<const SweepCurve> curves) {
  if (plot.baseline.empty()) return;
  for (const SweepCurve& curve : curves) {
    if (!curve.dashed) continue;
    // Where the line is farthest from the others, beginning in the middle.
    const std::size_t at = curve.typical.size() * 3 / 5;
    const ImVec2 point = curve.typical[at];
    if (!std::isfinite(point.y)) return;
    const float wide = ui.text_width(plot.baseline, type::tick);
    const float x = std::clamp(axes.x(static_cast<double>(point.x)), axes.area.x + wide / 2 + ui.px(4),
                               axes.area.right() - wide / 2);
    const float y = std::clamp(axes.y(static_cast<double>(point.y)) - ui.px(12), axes.area.y + ui.px(7),
                               axes.area.bottom() - ui.px(8));
    ui.text(x, y, plot.baseline, {type::tick, curve.colour, Ink::Regular, Align::Centre});
    return;
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
  const SweepScale scale = scale_of(page, plot);
  const float top = plot_title(ui, box, plot.title, plot.unit) + ui.px(6);
  const float left = ui.px(plot.form == NumberForm::Bytes || plot.form == NumberForm::Count ? 62 : 46);
  Axes axes;
  axes.area = {box.x + left, top, std::max(ui.px(40), box.w - left - ui.px(page.narrow ? 44 : 52)),
               std::max(ui.px(30), box.bottom() - top - ui.px(36))};
  axes.x0 = 0;
  axes.x1 = static_cast<double>(std::max<std::size_t>(1, page.values() - 1));
  axes.y0 = scale.low;
  axes.y1 = scale.high;
  const std::string label = "experiment plot " + std::to_string(index);
  const Ui::Touch touch = ui.touch(label.c_str(), axes.area.grown(ui.px(4)), false);
  if (touch.held && ImGui::GetIO().MouseDown[0]) {
    const double at = std::clamp(axes.x_at(ImGui::GetIO().MousePos.x), 0.0, axes.x1);
    page.choose(static_cast<std::size_t>(std::lround(at)));
  }
  if (touch.hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
  plot.log ? draw_log_ticks(ui, axes, plot) : draw_linear_ticks(ui, axes, plot);
  draw_sweep_ticks(page, axes, box);

  std::vector<SweepCurve> curves;
  for (const SeriesRow& series : plot.series) curves.push_back(curve_of(page, series, scale));
  ui.clip(axes.area.grown(ui.px(3)));
  for (const SweepCurve& curve : curves) {
    if (curve.dashed || page.sight.experiment->seeds < 2) continue;
    const Rgba pale = fade(curve.colour, 0.2f);
    fill_between(ui, axes, curve.greatest, curve.least, {pale, pale});
  }
  for (const SweepCurve& curve : curves)
    curve.dashed ? draw_dashed_curve(ui, axes, curve.typical, curve.colour, ui.px(1.5f))
                 : draw_curve(ui, axes, curve.typical, curve.colour, ui.px(2));
  ui.unclip();
  const float x = axes.x(static_cast<double>(page.point));
  draw_dashes(ui, {{x, axes.area.y}, {x, axes.area.bottom()}}, ui.theme.query, ui.px(1.5f));
  draw_baseline_name(ui, axes, plot, curves);
  std::vector<EndLabel> ends;
  for (const SweepCurve& curve : curves)
    if (!std::isnan(curve.last) && !curve.dashed)
      ends.push_back(
          {axes.y(scale.of(curve.last)), written_number(plot.form, curve.last), curve.colour, Ink::Regular});
  draw_end_labels(ui, {axes.area.right() + ui.px(7), axes.area.y, axes.area.bottom()}, ends);
  draw_read_outs(page, plot, axes, scale, curves);
}

}  // namespace attnscope
