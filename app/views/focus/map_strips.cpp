// app/views: the two strips beside a heatmap: entropy of every query, and attention received by every key,
// each compared with uniform attention under the same mask.
#include <algorithm>
#include <cmath>

#include "app/kit/ui/number_format.hpp"
#include "app/views/parts/map_parts.hpp"

namespace attnscope {
namespace {

/// The bar and the number of one row or column.
struct Mark {
  float full = 0, filled = 0;  // shares of the strip's length: of uniform attention, and the value itself
  std::string text;
  bool muted = false;
};

/// The numbers of one strip: of the queries or of the keys.
class Strip {
 public:
  Strip(const MapFrame& m, const Axis& axis) : m_(m), axis_(axis) {
    if (axis.keys) {
      for (const double r : received()) most_ = std::fmax(most_, r);
      for (const double r : received_uniform()) most_ = std::fmax(most_, r);
      return;
    }
    std::int64_t allowed = 1;
    for (std::int64_t i = 0; i < axis.count; ++i) allowed = std::max(allowed, row(i).allowed);
    most_ = std::log(static_cast<double>(allowed));
  }

  Mark operator()(std::int64_t i) const { return axis_.keys ? of_key(i) : of_query(i); }

  /// For several rows or columns in one pixel: the longest of both bars.
  Mark longest(std::int64_t from, std::int64_t to) const {
    Mark all;
    for (std::int64_t i = from; i < to; ++i) {
      const Mark one = shares(i);
      all.full = std::max(all.full, one.full);
      all.filled = std::max(all.filled, one.filled);
    }
    return all;
  }

 private:
  const RowMeasures& row(std::int64_t i) const { return m_.scene.result.measures.row(m_.b, m_.h, i); }
  const std::vector<double>& received() const { return m_.scene.result.measures.head(m_.b, m_.h).received; }
  const std::vector<double>& received_uniform() const {
    return m_.scene.result.measures.head(m_.b, m_.h).received_uniform;
  }
  float share(double value) const {
    return most_ > 0 && std::isfinite(value) ? static_cast<float>(std::clamp(value / most_, 0.0, 1.0)) : 0;
  }

  Mark shares(std::int64_t i) const {
    if (axis_.keys) {
      const auto key = static_cast<std::size_t>(i);
      return {share(received_uniform()[key]), share(received()[key]), {}};
    }
    const RowMeasures& measured = row(i);
    return {share(std::log(static_cast<double>(std::max<std::int64_t>(1, measured.allowed)))),
            share(measured.entropy),
            {},
            measured.allowed < 2 || std::isnan(measured.entropy)};
  }
  Mark of_key(std::int64_t i) const {
    Mark mark = shares(i);
    mark.text = fixed(received()[static_cast<std::size_t>(i)], 1);
    return mark;
  }
  Mark of_query(std::int64_t i) const {
    Mark mark = shares(i);
    const RowMeasures& measured = row(i);
    const bool defined = measured.allowed >= 2 &&  // n/a where muted
                         !(std::isnan(measured.entropy) && std::isfinite(measured.largest));
    mark.text = measured.allowed == 0 ? "no key" : defined ? fixed(measured.entropy, 2) : "n/a";
    return mark;
  }

  const MapFrame& m_;
  const Axis& axis_;
  double most_ = 0;
};

/// Calls bar(from, to, place) for every row or column; if several share a pixel, for every pixel.
template <class Bar>
void for_bars(const Axis& axis, Bar&& bar) {
  if (axis.side() >= 2) {
    for (std::int64_t i = axis.from(); i < axis.to(); ++i) bar(i, i + 1, axis.cell(i));
    return;
  }
  for (float p = 0; p < axis.place.length; ++p) {
    const auto from = static_cast<std::int64_t>(std::floor(axis.at(axis.place.begin + p)));
    const auto to = static_cast<std::int64_t>(std::floor(axis.at(axis.place.begin + p + 1)));
    bar(from, std::min(std::max(to, from + 1), axis.count), Stretch{axis.place.begin + p, 1});
  }
}

/// Whether the number of i is written: the marked one, and every step-th one that is not too near to it.
struct Numbers {
  std::int64_t step, marked;
  float side, needed;
  bool operator()(std::int64_t i, const Stretch& place) const {
    if (place.length < std::min(std::floor(side), needed) - 1) return false;  // cut off at an end
    if (i == marked) return true;
    if (i % step != 0) return false;
    return marked < 0 || step == 1 || std::abs(static_cast<float>(i - marked)) * side >= needed;
  }
};

Numbers numbers_of(const MapFrame& m, const Axis& axis, float needed) {
  return {label_step(axis.side(), needed), m.is_chosen ? m.marked_on(axis) : -1, axis.side(), needed};
}

Rgba mark_ink(const Ui& ui, const Mark& mark, bool marked) {
  return marked ? ui.theme.text1 : mark.muted ? ui.theme.text3 : ui.theme.text2;
}

/// Bars without a gap form an area: they are fainter, so that they do not outshine the map.
Rgba colour(const MapFrame& m, const Axis& axis, bool marked) {
  if (marked) return m.hue(axis);
  return axis.side() >= 2 ? m.ui().theme.bar : fade(m.ui().theme.bar, 0.5f);
}

/// The colour of the ground, which is as long as the largest possible value. The stub of a row with fewer
/// than two allowed keys has that of a bar; a long ground in that colour would look like the largest value.
Rgba ground_of(const Ui& ui, const Mark& mark) {
  return mark.muted && mark.full <= 0 ? ui.theme.bar : ui.theme.bar_ground;
}

/// Thickness of the mark of uniform attention.
float tick_of(const Ui& ui) { return std::max(1.f, std::floor(ui.scale())); }

void draw_heading(const MapFrame& m, const Axis& axis, float x, float width) {
  const Ui& ui = m.ui();
  if (m.style.wide_strip && !m.upright) {
    const float y = m.cells.y - ui.px(14);
    const float named =
        ui.text(x, y, axis.keys ? "received" : "entropy H", {type::label, ui.theme.text2, Ink::Medium});
    ui.text(x + named + ui.px(8), y, axis.keys ? "Σ over queries" : "nats", {type::tick, ui.theme.text3});
    return;
  }
  if (m.style.wide_strip) {
    ui.text(x, m.cells.y - ui.px(26), axis.keys ? "received" : "entropy H",
            {type::label, ui.theme.text2, Ink::Medium});
    ui.text(x, m.cells.y - ui.px(10), axis.keys ? "Σ over queries" : "nats, of ln(allowed)",
            {type::tick, ui.theme.text3});
    return;
  }
  const std::string_view narrow = axis.keys ? "Σ" : "H", wide = axis.keys ? "received" : "entropy H";
  ui.text(x + width, m.cells.y - ui.px(14), width < ui.px(80) ? narrow : wide,
          {type::tick, ui.theme.text3, Ink::Regular, Align::Right});
}

void draw_right_strip(const MapFrame& m, float x, float width) {
  const Ui& ui = m.ui();
  const Axis& axis = m.down;
  const Strip strip(m, axis);
  draw_heading(m, axis, x, width);
  const float track = std::max(0.f, width - ui.px(48));
  const Numbers is_written = numbers_of(m, axis, ui.px(14));
  const std::int64_t marked = is_written.marked;
  for_bars(axis, [&](std::int64_t from, std::int64_t to, const Stretch& place) {
    const bool is_marked = marked >= from && marked < to;
    const float height = std::clamp(std::floor(m.side * 0.28f), 1.f, ui.px(10));
    const float y = std::round(place.centre() - height / 2), radius = std::min(ui.px(2), height / 2);
    const Mark bar = to - from == 1 ? strip(from) : strip.longest(from, to);
    if (track > ui.px(16) && place.length >= std::min(1.f, m.side)) {
      const Rgba ground = ground_of(ui, bar);
      if (!axis.keys) ui.fill({x, y, std::max(bar.full * track, ui.px(2)), height}, ground, radius);
      ui.fill({x, y, std::max(bar.filled * track, axis.keys ? ui.px(2) : 0), height},
              colour(m, axis, is_marked), radius);
      if (axis.keys)
        ui.fill({x + std::round(bar.full * track), y - 1, tick_of(ui), height + 2}, ui.theme.text3);
    }
    for (std::int64_t i = from; i < to; ++i) {
      const Stretch cell = axis.cell(i);
      if (!is_written(i, cell)) continue;
      const Mark mark = strip(i);
      ui.text(x + width, cell.centre(), mark.text,
              {type::tick, mark_ink(ui, mark, i == marked), i == marked ? Ink::Semibold : Ink::Regular,
               Align::Right});
    }
  });
}

void draw_bottom_strip(const MapFrame& m) {
  const Ui& ui = m.ui();
  const Axis& axis = m.across;
  const Strip strip(m, axis);
  const float top = m.cells.bottom() + ui.px(8), tallest = ui.px(20);
  if (m.label_width > ui.px(52)) {
    const float x = m.cells.x - ui.px(10);
    ui.text(x, top + ui.px(6), axis.keys ? "received" : "entropy",
            {type::tick, ui.theme.text2, Ink::Regular, Align::Right});
    ui.text(x, top + ui.px(22), axis.keys ? "Σ queries" : "nats",
            {type::tick, ui.theme.text3, Ink::Regular, Align::Right});
  }
  const Numbers is_written = numbers_of(m, axis, ui.px(axis.keys ? 26 : 32));
  const std::int64_t marked = is_written.marked;
  for_bars(axis, [&](std::int64_t from, std::int64_t to, const Stretch& place) {
    const bool is_marked = marked >= from && marked < to;
    const Mark bar = to - from == 1 ? strip(from) : strip.longest(from, to);
    const float width = std::max(1.f, std::round(std::min(place.length * 0.65f, ui.px(26))));
    const float x = std::round(place.centre() - width / 2), radius = std::min(ui.px(2), width / 2);
    const float least = !axis.keys ? 0 : axis.side() >= 2 ? ui.px(2) : 1;
    const float height = std::max(least, std::round(bar.filled * tallest));
    const Rgba ground = ground_of(ui, bar);
    if (!axis.keys)
      ui.fill({x, top, width, std::max(ui.px(2), std::round(bar.full * tallest))}, ground, radius);
    ui.fill({x, top, width, height}, colour(m, axis, is_marked), radius);
    if (axis.keys && axis.side() >= 2)
      ui.fill({x - 1, top + std::round(bar.full * tallest), width + 2, tick_of(ui)}, ui.theme.text3);
    for (std::int64_t i = from; i < to; ++i) {
      const Stretch cell = axis.cell(i);
      if (!is_written(i, cell)) continue;
      const Mark mark = strip(i);
      // A number is under its own bar while bars are wide; among thin bars it is below the strip's full
      // height, clear of its neighbours.
      const float mark_of_uniform = std::round(bar.full * tallest) + tick_of(ui);
      const float reach = is_written.step > 1 || !axis.keys ? tallest : std::max(height, mark_of_uniform);
      // The strip's heading ends at the first column.
      const float half = ui.text_width(mark.text, type::tick, Ink::Semibold) / 2;
      const float centre = std::max(cell.centre(), m.cells.x - ui.px(6) + half);
      if (centre > cell.centre() && i != marked) continue;
      ui.text(centre, top + reach + ui.px(9), mark.text,
              {type::tick, mark_ink(ui, mark, i == marked), i == marked ? Ink::Semibold : Ink::Regular,
               Align::Centre});
    }
  });
}

}  // namespace

void draw_strips(const MapFrame& m, float width) {
  draw_right_strip(m, m.cells.right() + m.strip_gap(), width);
  draw_bottom_strip(m);
}

}  // namespace attnscope
