// app/views: numbers on a heatmap: printed into its cells, and read out beside the mouse.
#include <algorithm>
#include <array>
#include <cmath>

#include "app/kit/ui/number_format.hpp"
#include "app/state/regions/focus_state.hpp"
#include "app/views/parts/map_parts.hpp"

namespace attnscope {
namespace {

/// The value with as many digits as a cell has room for.
std::string printed(const MapFrame& m, double value) {
  if (m.style.print) return m.style.print(value, m.side / m.ui().scale());
  const Ui& ui = m.ui();
  const Plane plane = m.plane;
  if (plane.is_gradient() || plane.is_error()) return tight(value);
  if (is_weights(plane) && plane.stage == Stage::Drop && value == 0) return "×";
  if (m.side > ui.px(80)) return std::abs(value) < 0.0005 && value != 0 ? tight(value) : fixed(value, 4);
  if (m.side > ui.px(48)) {
    if (!is_weights(plane)) return fixed(value, 2);
    return std::abs(value) < 0.005 && value != 0 ? tight(value) : in_cell(value);
  }
  return is_weights(plane) ? in_cell(value) : score_in_cell(value);
}

}  // namespace

void draw_values(const MapFrame& m, const ColourScale& scale) {
  if (!m.prints_values() || !m.scene.stats.tensor(m.plane)) return;
  const Ui& ui = m.ui();
  const bool weights = is_weights(m.plane);
  const auto values = m.scene.stats.matrix(m.plane, m.b, m.h);
  CellMarks marks(m.scene, m.plane, m.b, m.h);
  // The numbers of a small matrix with large cells are larger.
  const bool is_large = m.style.largest_cell > 96 && m.side > ui.px(96);
  const float size = is_large ? type::title : m.side > ui.px(48) ? type::label : type::tick;
  const bool is_magma = !scale.log && focus_of(m.scene.view).colours == WeightColours::Magma;
  for (std::int64_t i = m.queries().from(); i < m.queries().to(); ++i) {
    for (std::int64_t j = m.keys().from(); j < m.keys().to(); ++j) {
      if (marks(i, j) != CellKind::Number) continue;  // a hatch or dot shows it instead
      const Box cell = m.visible_cell({i, j});
      // A number that is cut off would be read as another number.
      if (cell.w < m.side * 0.9f - 1 || cell.h < std::min(m.side - 1, ui.px(16))) continue;
      const float v = values(i, j);
      Rgba ink = 0xFFFFFFFFu;
      if (!std::isnan(v))
        ink = weights && is_magma && v < 0.095f && scale.high >= 0.5f ? ui.theme.small_value
                                                                      : ink_on(colour_of(scale, v));
      ui.text(cell.centre_x(), cell.centre_y(), printed(m, static_cast<double>(v)),
              {size, ink, Ink::Regular, Align::Centre, m.side});
    }
  }
}

namespace {

struct ReadOut {
  std::string query, key, what, value;
};

ReadOut read(const MapFrame& m, Cell cell) {
  const Scene& scene = m.scene;
  ReadOut out{m.label(m.queries(), cell.query),
              m.label(m.keys(), cell.key),
              std::string(words(scene.result.document, m.plane).short_name),
              {}};
  if (std::max(m.queries().count, m.keys().count) > 32) {
    out.query += "  " + grouped(cell.query);
    out.key += "  " + grouped(cell.key);
  }
  const auto number = static_cast<double>(scene.stats.matrix(m.plane, m.b, m.h)(cell.query, cell.key));
  CellMarks marks(scene, m.plane, m.b, m.h);
  switch (marks(cell.query, cell.key)) {
    case CellKind::Masked: out.value = "masked"; return out;
    case CellKind::NoKey: out.value = "masked, no key in this row"; return out;
    case CellKind::Underflow: out.value = "0, underflowed"; return out;
    case CellKind::Number: break;
  }
  const bool small =
      m.plane.is_error() || m.plane.is_gradient() || (number != 0 && std::abs(number) < 0.0005);
  out.value = small ? tiny(number) : fixed(number, 4);
  if (m.style.print) out.value = m.style.print(number, m.side / m.ui().scale());
  return out;
}

/// The share of the box that lies on masked cells, 0..1, sampled at nine points.
float share_masked(const MapFrame& m, const Box& box) {
  if (!shows_mask(m.scene.result.document, m.plane)) return 0;
  int masked = 0;
  for (const float u : {0.1f, 0.5f, 0.9f}) {
    for (const float v : {0.1f, 0.5f, 0.9f}) {
      const ImVec2 point{box.x + box.w * u, box.y + box.h * v};
      if (!m.cells.contains(point)) continue;
      const Cell cell = m.under(point);
      masked += m.scene.is_masked(m.b, m.h, cell.query, cell.key) ? 1 : 0;
    }
  }
  return static_cast<float>(masked) / 9;
}

bool overlaps(Stretch a, Stretch b) { return a.begin < b.end() && b.begin < a.end(); }

/// The box of the read-out: at one of the four corners around the cell, clear of its row and column. Of the
/// corners with room the one that covers most masked cells; of equal ones the upper right, then clockwise.
Box place_read_out(const MapFrame& m, const Box& within, Cell at, float width, float height) {
  const Ui& ui = m.ui();
  const Box cell = m.visible_cell(at);
  const float away = ui.px(10);
  const float right = std::max(cell.x + cell.w, cell.x + 1) + away, left = cell.x - away - width;
  const float above = cell.y - away - height, below = cell.y + cell.h + away;
  std::optional<Box> best;
  float best_share = -1;
  for (const ImVec2 corner : {ImVec2{right, above}, {right, below}, {left, below}, {left, above}}) {
    const Box box{std::round(corner.x), std::round(corner.y), width, height};
    if (box.x < within.x || box.y < within.y || box.right() > within.right() ||
        box.bottom() > within.bottom())
      continue;
    if (const float share = share_masked(m, box); share > best_share) {
      best_share = share;
      best = box;
    }
  }
  if (best) return *best;
  // No corner is free: along an edge of the region, on the side of the row that has more room.
  const float y = cell.y - within.y > within.bottom() - cell.y - cell.h
                      ? std::max(within.y, above)
                      : std::min(below, within.bottom() - height);
  float x = std::clamp(right, within.x, std::max(within.x, within.right() - width));
  if (overlaps({x, width}, {cell.x, cell.w})) x = std::max(within.x, left);
  return {std::round(x), std::round(y), width, height};
}

}  // namespace

void draw_read_out(const MapFrame& m, const Box& within) {
  const Ui& ui = m.ui();
  const std::optional<Cell> hovered = m.scene.selection.hovered_cell;
  if (!m.is_chosen || !hovered || hovered->query >= m.queries().count || hovered->key >= m.keys().count)
    return;
  if (m.visible_cell(*hovered).w <= 0 || m.visible_cell(*hovered).h <= 0) return;
  if (!m.scene.stats.tensor(m.plane)) return;
  const ReadOut out = read(m, *hovered);
  const float pad = ui.px(10), gap = ui.px(6), longest = ui.px(132), whole = ui.px(320);
  struct Word {
    std::string_view text;
    Rgba colour;
    Ink ink;
    float size, after, room;
  };
  const std::array<Word, 5> line{{{out.query, ui.theme.query, Ink::Semibold, type::label, gap, longest},
                                  {"→", ui.theme.text3, Ink::Regular, type::label, gap, longest},
                                  {out.key, ui.theme.key, Ink::Semibold, type::label, 2 * gap, longest},
                                  {out.what, ui.theme.text3, Ink::Regular, type::tick, gap, longest},
                                  {out.value, ui.theme.text1, Ink::Semibold, type::label, 0, whole}}};
  float width = 2 * pad;
  for (const Word& word : line)
    width += std::min(word.room, ui.text_width(word.text, word.size, word.ink)) + word.after;
  const Box box = place_read_out(m, within, *hovered, std::ceil(width), ui.px(30));
  ui.fill({box.x + ui.px(1), box.y + ui.px(3), box.w, box.h}, 0x50000000u, ui.px(8));
  ui.fill(box, ui.theme.raised, ui.px(8));
  ui.frame(box, ui.theme.border, std::max(1.f, std::floor(ui.scale())), ui.px(8));
  float x = box.x + pad;
  for (const Word& word : line) {
    const float drawn =
        ui.text(x, box.centre_y(), word.text, {word.size, word.colour, word.ink, Align::Left, word.room});
    x += std::min(word.room, drawn) + word.after;
  }
}

}  // namespace attnscope
