// app/views: names, labels, marks and cross-hair of a heatmap.
#include <algorithm>
#include <cmath>

#include "app/kit/ui/number_format.hpp"
#include "app/views/parts/map_parts.hpp"

namespace attnscope {
namespace {

/// Which labels of an axis are drawn.
struct Thinning {
  std::int64_t step = 1;
  bool numbers = false;  // round indices instead of tokens

  /// Room for a token (`needed`) and for a number (`number_room`), device pixels.
  Thinning(const Axis& axis, float needed, float number_room) : step(label_step(axis.side(), needed)) {
    if (step <= most_skipped) return;
    numbers = true;
    const auto room = static_cast<double>(std::max(needed, number_room) / axis.side());
    std::int64_t ten = 1;
    while (static_cast<double>(10 * ten) < room) ten *= 10;
    for (const std::int64_t round : {ten, 2 * ten, 5 * ten, 10 * ten}) {
      step = round;
      if (static_cast<double>(step) >= room) return;
    }
  }
};

/// Calls draw(i, place, is_marked) for the labels of an axis that have room.
template <class Draw>
void for_labels(const MapFrame& m, const Axis& axis, const Thinning& thin, float needed, Draw&& draw) {
  const std::int64_t marked = m.is_chosen ? m.marked_on(axis) : -1;
  for (std::int64_t i = axis.from(); i < axis.to(); ++i) {
    const bool is_marked = i == marked;
    if (!is_marked && i % thin.step != 0) continue;
    if (!is_marked && marked >= 0 && std::abs(static_cast<float>(i - marked)) * axis.side() < needed)
      continue;
    const Stretch place = axis.cell(i);
    // A cell cut by the edge of a zoomed map gets a label only if its visible part has room for it.
    if (!axis.is_whole() && place.length < std::min(std::floor(axis.side()), needed) - 1) continue;
    draw(i, place, is_marked);
  }
}

std::string visible_range(const Axis& axis) {
  if (axis.is_whole()) return {};
  return grouped(axis.from()) + " – " + grouped(axis.to() - 1) + " of " + grouped(axis.count);
}

}  // namespace

void draw_axis_names(const MapFrame& m) {
  if (!m.style.all_names) return;
  const Ui& ui = m.ui();
  const float y = m.area.y + m.caption() + ui.px(10);
  const float width =
      ui.text(m.cells.x, y, m.turned() ? "query →" : "key →", {type::label, m.hue(m.across), Ink::Medium});
  // Maps side by side have no room for the range in sight.
  if (!m.style.caption)
    ui.text(m.cells.x + width + ui.px(12), y, visible_range(m.across), {type::tick, ui.theme.text3});
  const float left = m.cells.x - ui.px(10);
  ui.text(left, m.cells.y - ui.px(14), m.turned() ? "key ↓" : "query ↓",
          {type::label, m.hue(m.down), Ink::Medium, Align::Right});
  const std::string rows = visible_range(m.down);
  if (ui.text_width(rows, type::tick) <= m.label_width + ui.px(8) && m.label_room >= ui.px(36))
    ui.text(left, m.cells.y - ui.px(32), rows, {type::tick, ui.theme.text3, Ink::Regular, Align::Right});
}

namespace {

void draw_left_labels(const MapFrame& m) {
  const Ui& ui = m.ui();
  const float needed = ui.px(label_height);
  const Thinning thin(m.down, needed, ui.px(28));
  for_labels(m, m.down, thin, needed, [&](std::int64_t i, const Stretch& place, bool marked) {
    const bool number = thin.numbers && !marked;
    ui.text(m.cells.x - ui.px(10), place.centre(), number ? grouped(i) : m.label(m.down, i),
            {number ? type::tick : type::label,
             marked   ? m.hue(m.down)
             : number ? ui.theme.text3
                      : ui.theme.text2,
             marked ? Ink::Semibold : Ink::Regular, Align::Right, m.label_width});
  });
}

void draw_top_labels(const MapFrame& m) {
  const Ui& ui = m.ui();
  const float needed = ui.px(label_height);
  const float widest = ui.text_width(grouped(m.across.count - 1), type::tick) + ui.px(10);
  const Thinning thin(m.across, needed, std::max(ui.px(28), widest));
  // Numbers are horizontal, as their step leaves room for them; so are tokens if zooming made room.
  const float wide = thin.numbers ? std::max(ui.px(28), widest) : needed;
  for_labels(m, m.across, thin, wide, [&](std::int64_t i, const Stretch& place, bool marked) {
    if (!m.style.all_names && !marked) return;
    if (thin.numbers && !marked) {
      const float half = ui.text_width(grouped(i), type::tick) / 2;
      if (place.centre() - half < m.cells.x - ui.px(6)) return;  // the name of the rows is there
      ui.text(place.centre(), m.cells.y - ui.px(14), grouped(i),
              {type::tick, ui.theme.text3, Ink::Regular, Align::Centre});
      return;
    }
    const std::string label = m.label(m.across, i);
    TextStyle style{type::label, marked ? m.hue(m.across) : ui.theme.text2,
                    marked ? Ink::Semibold : Ink::Regular};
    const float long_as = ui.text_width(label, type::label, Ink::Semibold);
    const bool fits = !thin.numbers && m.side > ui.px(48) && long_as < m.side - ui.px(6);
    const bool lies = !m.upright || fits || lies_flat(ui, label);
    if (lies) {
      style.align = Align::Centre;
      if (m.style.all_names) style.max_width = std::max(place.length, ui.px(label_height));
      ui.text(place.centre(), m.cells.y - ui.px(14), label, style);
    } else {
      style.max_width = m.label_room;
      ui.upright_text(place.centre(), m.cells.y - ui.px(8), label, style);
    }
  });
}

}  // namespace

void draw_labels(const MapFrame& m) {
  draw_left_labels(m);
  draw_top_labels(m);
}

void draw_mark(const MapFrame& m) {
  const Ui& ui = m.ui();
  if (!m.is_chosen || m.marked.query >= m.queries().count || m.marked.key >= m.keys().count) return;
  const Box cell = m.visible_cell(m.marked);
  const float gap = m.side > ui.px(6) ? std::max(1.f, std::floor(ui.scale())) : 0;
  const float thin = std::max(1.f, ui.px(1));
  // A tick is drawn if its row or column is in sight, even if the cell is not.
  if (cell.h > 0)
    ui.fill({m.cells.x - ui.px(6), cell.y, ui.px(3), std::max(thin, cell.h - gap)}, m.hue(m.down));
  if (cell.w > 0)
    ui.fill({cell.x, m.cells.y - ui.px(5), std::max(thin, cell.w - gap), ui.px(3)}, m.hue(m.across));
  if (m.cells.w < 1 || cell.w <= 0 || cell.h <= 0) return;
  const Box whole = m.cell(m.marked);
  const Box framed{whole.x, whole.y, std::max(ui.px(3), whole.w - gap), std::max(ui.px(3), whole.h - gap)};
  const Rgba halo = ui.theme.name == ThemeName::Light ? 0xFFFFFFFFu : 0xFF000000u;
  if (m.is_zoomed()) ui.clip(m.cells.grown(ui.px(4)));
  ui.frame(framed.grown(ui.px(3)), halo, ui.px(2), ui.px(4));
  ui.frame(framed.grown(ui.px(2)), ui.theme.query, ui.px(2), ui.px(3));
  if (m.is_zoomed()) ui.unclip();
}

void draw_crosshair(const MapFrame& m, float right) {
  const Ui& ui = m.ui();
  if (!m.is_chosen || !m.scene.selection.hovered_cell) return;
  const Box cell = m.visible_cell(m.marked);
  const Rgba light = fade(ui.theme.text1, ui.theme.name == ThemeName::Contrast ? 0.1f : 0.06f);
  const float left = m.cells.x - ui.px(14) - m.label_width, top = m.cells.y - ui.px(8) - m.label_room;
  const float bottom = m.cells.bottom() + (m.style.strips ? ui.px(48) : 0);
  // The cell itself keeps its true colour.
  if (cell.h > 0) {
    const float y = cell.y, h = std::max(1.f, cell.h);
    ui.fill({left, y, std::max(0.f, (cell.w > 0 ? cell.x : right) - left), h}, light);
    if (cell.w > 0) ui.fill({cell.x + cell.w, y, std::max(0.f, right - cell.x - cell.w), h}, light);
  }
  if (cell.w > 0) {
    const float x = cell.x, w = std::max(1.f, cell.w);
    ui.fill({x, top, w, std::max(0.f, (cell.h > 0 ? cell.y : bottom) - top)}, light);
    if (cell.h > 0) ui.fill({x, cell.y + cell.h, w, std::max(0.f, bottom - cell.y - cell.h)}, light);
  }
}

}  // namespace attnscope
