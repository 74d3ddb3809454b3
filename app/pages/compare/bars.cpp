// app/pages/compare: the colour bars under the pictures: ramp, histogram, true ends of the range and how it
// was chosen.
#include <algorithm>
#include <array>
#include <cmath>

#include "app/kit/ui/number_format.hpp"
#include "app/pages/compare/parts.hpp"

namespace attnscope {
namespace {

void draw_spread(const Ui& ui, const Box& ramp, const Histogram& histogram) {
  const double most = std::sqrt(static_cast<double>(std::max<std::int64_t>(1, histogram.largest_bin())));
  for (std::size_t i = 0; i < histogram.bins.size(); ++i) {
    const std::int64_t count = histogram.bins[i];
    if (count == 0) continue;
    const auto height = static_cast<float>(std::sqrt(static_cast<double>(count)) / most) * ui.px(16);
    const float x0 = std::round(ramp.x + ramp.w * static_cast<float>(i) / compared_bins);
    const float x1 = std::round(ramp.x + ramp.w * static_cast<float>(i + 1) / compared_bins);
    ui.fill({x0, ramp.y - ui.px(2) - height, x1 - x0 - 1, height}, ui.theme.bar);
  }
}

}  // namespace

void draw_bar(const Ui& ui, const BarPlace& place, const ColourScale& scale, const Histogram& histogram,
              const BarWords& said) {
  const float width = std::min(std::max(place.cells.w, ui.px(180)), place.area.right() - place.cells.x);
  const float y = std::min(place.cells.bottom() + ui.px(26), place.area.bottom() - ui.px(30));
  const Box ramp{place.cells.x, std::round(y), width, ui.px(10)};
  draw_spread(ui, ramp, histogram);
  draw_ramp(ui, said.place, ramp, scale, scale.low, scale.high);
  ui.frame(ramp, ui.theme.border, std::max(1.f, std::floor(ui.scale())));
  const float before = ramp.x - ui.px(10) - place.area.x + ui.px(16);  // the panel's margin around its area
  const bool has_room = said.shorter_name.empty() || ui.text_width(said.name, type::label) <= before;
  ui.text(ramp.x - ui.px(10), ramp.centre_y(), has_room ? said.name : said.shorter_name,
          {type::label, ui.theme.text2, Ink::Regular, Align::Right});
  const float line = ramp.bottom() + ui.px(11);
  const float low = ui.text(ramp.x, line, said.low, {type::tick, ui.theme.text2});
  const float high =
      ui.text(ramp.right(), line, said.high, {type::tick, ui.theme.text2, Ink::Regular, Align::Right});
  const float room = ramp.w - low - high - ui.px(16);
  const std::string& middle = ui.text_width(said.middle, type::tick) <= room ? said.middle : said.shorter;
  if (ui.text_width(middle, type::tick) <= room)
    ui.text(ramp.x + low + (ramp.w - low - high) / 2, line, middle,
            {type::tick, ui.theme.text3, Ink::Regular, Align::Centre});
}

std::string end_words(float value) {
  const auto v = static_cast<double>(value);
  if (value == 0 || std::abs(value) == 1) return fixed(v, 0);
  return std::abs(v) < 0.05 ? tiny(v) : fixed(v, std::abs(v) > 10 ? 1 : 2);
}

namespace {

/// The words in the middle of the bar: what the ends mean, and which values lie outside the range.
std::string middle_of(const Sides& sides, const ColourScale& scale, const Histogram& histogram) {
  const Scene& a = sides.a;
  const std::int64_t infinite = a.stats.range(sides.difference, a.sequence(), a.head()).not_finite;
  const std::int64_t clipped = histogram.below + histogram.above;
  const auto cells = [](std::int64_t n) { return counted(n, "cell", "cells"); };
  const double largest = largest_difference(sides);
  if (largest == 0 && infinite == 0)
    return sides.settings.empty() ? "the same: change something" : "the same in this head";
  if (largest == 0) return "∞ in " + cells(infinite) + ", else the same";
  if (infinite > 0) return "∞ in " + cells(infinite);
  if (clipped > 0) return "log₂, " + cells(clipped) + " beyond";
  if (sides.difference.kind == Plane::Kind::Ratio) return "log₂, centred on equal";
  return (scale.zero_centred ? "zero-centred, largest " : "largest ") + tiny(largest);
}

}  // namespace

void draw_bar_of_side(const Sides& sides, const Scene& side, Plane plane, const BarPlace& place) {
  const ColourScale scale = shared_scale(sides);
  const HistogramPtr histogram = side.stats.histogram(plane, side.sequence(), side.head(),
                                                      {scale.low, scale.high, compared_bins, scale.log});
  draw_bar(side.ui, place, scale, *histogram,
           {&side == &sides.a ? "ramp of A" : "ramp of B",
            std::string(words(side.result.document, plane).short_name),
            (scale.log ? "log " : "") + end_words(scale.low), end_words(scale.high),
            sides.b ? "same range for both" : ""});
}

void draw_bar_of_difference(const Sides& sides, const BarPlace& place) {
  const Scene& a = sides.a;
  const ColourScale scale = difference_scale(sides, false);
  const HistogramPtr histogram =
      a.stats.histogram(sides.difference, a.sequence(), a.head(), {scale.low, scale.high, compared_bins});
  BarWords said{"ramp of A-B",
                std::string(words(a.result.document, sides.difference).short_name),
                end_words(scale.low),
                (scale.zero_centred ? "+" : "") + end_words(scale.high),
                middle_of(sides, scale, *histogram),
                "largest " + tiny(largest_difference(sides)),
                "Difference"};
  if (sides.difference.kind == Plane::Kind::Ratio) {
    const double most = std::exp2(static_cast<double>(scale.high));
    const std::string times = fixed(most, most < 9.95 ? 1 : 0);
    said.shorter = "log₂";
    said.low = "÷" + times;
    said.high = "×" + times;
  }
  draw_bar(a.ui, place, scale, *histogram, said);
}

}  // namespace attnscope
