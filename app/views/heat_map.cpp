#include "app/views/heat_map.hpp"

#include <algorithm>
#include <cmath>

#include "app/number_format.hpp"
#include "app/picture.hpp"

namespace attnscope {
namespace {

/// Everything the parts of one map share.
struct MapFrame {
  Scene& scene;
  std::int64_t b, h, rows, columns;
  Box cells;          // the matrix
  float side;         // of a cell, device pixels; may be below 1
  float label_width;  // of the query labels at the left
  Cell marked;
  bool is_chosen;  // this sequence is the selected one

  const Ui& ui() const { return scene.ui; }
  bool prints_values() const { return side >= ui().px(28); }
};

using Label = std::string (*)(const Result&, std::int64_t sequence, std::int64_t index);

/// Over the whole batch, so that maps side by side stand on one line. `last` more are looked at at the end:
/// the keys of no token.
float widest_label(const Scene& scene, Label label, std::int64_t count, std::int64_t last, float size) {
  float widest = 0;
  for (std::int64_t b = 0; b < std::min<std::int64_t>(scene.result.dimensions.batch, 4); ++b) {
    const auto look = [&](std::int64_t i) {
      widest = std::max(widest, scene.ui.text_width(label(scene.result, b, i), size));
    };
    for (std::int64_t i = 0; i < std::min<std::int64_t>(count, 256); ++i) look(i);
    for (std::int64_t i = count - last; i < count; ++i) look(i);
  }
  return widest;
}

/// Every how many labels one is drawn so that none overlap; the marked one is always drawn.
std::int64_t label_step(float side, float needed) {
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(needed / std::max(side, 0.01f))));
}

void draw_query_labels(const MapFrame& m) {
  const Ui& ui = m.ui();
  const float needed = ui.px(16);
  const std::int64_t step = label_step(m.side, needed);
  for (std::int64_t i = 0; i < m.rows; ++i) {
    const bool marked = m.is_chosen && i == m.marked.query;
    const bool near_marked =
        m.is_chosen && !marked && std::abs(static_cast<float>(i - m.marked.query)) * m.side < needed;
    if (!marked && (i % step != 0 || near_marked)) continue;
    const Box cell = cell_box(m.cells, i, 0, m.rows, m.columns);
    ui.text(m.cells.x - ui.px(10), cell.centre_y(), query_label(m.scene.result, m.b, i),
            {type::label, marked ? ui.theme.query : ui.theme.text2, marked ? Ink::Semibold : Ink::Regular,
             Align::Right, m.label_width});
  }
}

void draw_key_labels(const MapFrame& m, bool upright, float room) {
  const Ui& ui = m.ui();
  const float needed = ui.px(16);
  const std::int64_t step = label_step(m.side, needed);
  for (std::int64_t j = 0; j < m.columns; ++j) {
    const bool marked = m.is_chosen && j == m.marked.key;
    const bool near_marked =
        m.is_chosen && !marked && std::abs(static_cast<float>(j - m.marked.key)) * m.side < needed;
    if (!marked && upright && (j % step != 0 || near_marked)) continue;
    const Box cell = cell_box(m.cells, 0, j, m.rows, m.columns);
    const std::string label = key_label(m.scene.result, m.b, j);
    TextStyle style{type::label, marked ? ui.theme.key : ui.theme.text2,
                    marked ? Ink::Semibold : Ink::Regular};
    if (upright) {
      style.max_width = room;
      ui.upright_text(cell.centre_x(), m.cells.y - ui.px(8), label, style);
    } else {
      style.align = Align::Centre;
      style.max_width = m.side;
      ui.text(cell.centre_x(), m.cells.y - ui.px(14), label, style);
    }
  }
}

void draw_values(const MapFrame& m, const ColourScale& scale) {
  if (!m.prints_values()) return;
  const Ui& ui = m.ui();
  const Plane plane = m.scene.view.stage;
  const bool weights = is_weights(plane);
  const auto values = matrix_of(m.scene.result, plane, m.b, m.h);
  CellMarks marks(m.scene, plane, m.b, m.h);
  for (std::int64_t i = 0; i < m.rows; ++i) {
    for (std::int64_t j = 0; j < m.columns; ++j) {
      if (marks(i, j) != CellKind::Number) continue;  // its hatch or dot says it
      const float v = values(i, j);
      const Box cell = cell_box(m.cells, i, j, m.rows, m.columns);
      Rgba ink = ui.theme.nan;
      if (std::isnan(v)) ink = 0xFFFFFFFFu;
      if (std::isfinite(v))
        ink =
            weights && v < 0.095f && scale.high >= 0.5f ? ui.theme.small_value : ink_on(colour_of(scale, v));
      const auto number = static_cast<double>(v);
      const bool big = m.side > ui.px(48);
      std::string text = big ? fixed(number, 2) : score_in_cell(number);
      if (weights) text = plane.stage == Stage::Drop && v == 0 ? "×" : in_cell(number);
      if (plane.gradient) text = tight(number);
      ui.text(cell.centre_x(), cell.centre_y(), text,
              {big ? type::label : type::tick, ink, Ink::Regular, Align::Centre, m.side});
    }
  }
}

/// Accent frame outside the cell with a halo, a tick at the row's left and at the column's top.
void draw_mark(const MapFrame& m) {
  const Ui& ui = m.ui();
  if (!m.is_chosen || m.marked.query >= m.rows || m.marked.key >= m.columns) return;
  Box cell = cell_box(m.cells, m.marked.query, m.marked.key, m.rows, m.columns);
  const float gap = m.side > ui.px(6) ? std::max(1.f, std::floor(ui.scale())) : 0;
  const Box row = cell_box(m.cells, m.marked.query, 0, m.rows, m.columns),
            column = cell_box(m.cells, 0, m.marked.key, m.rows, m.columns);
  ui.fill({m.cells.x - ui.px(6), row.y, ui.px(3), std::max(1.f, row.h - gap)}, ui.theme.query);
  ui.fill({column.x, m.cells.y - ui.px(5), std::max(1.f, column.w - gap), ui.px(3)}, ui.theme.key);
  cell = {cell.x, cell.y, std::max(ui.px(3), cell.w - gap), std::max(ui.px(3), cell.h - gap)};
  const Rgba halo = ui.theme.name == ThemeName::Light ? 0xFFFFFFFFu : 0xFF000000u;
  ui.frame(cell.grown(ui.px(3)), halo, ui.px(2), ui.px(4));
  ui.frame(cell.grown(ui.px(2)), ui.theme.query, ui.px(2), ui.px(3));
}

void draw_entropy_strip(const MapFrame& m, float x, float width, bool wide) {
  const Ui& ui = m.ui();
  const Measures& measures = m.scene.result.measures;
  if (wide) {
    ui.text(x, m.cells.y - ui.px(26), "entropy H", {type::label, ui.theme.text2, Ink::Medium});
    ui.text(x, m.cells.y - ui.px(10), "nats, of ln(allowed)", {type::tick, ui.theme.text3});
  } else {
    ui.text(x + width, m.cells.y - ui.px(14), width < ui.px(80) ? "H" : "entropy H",
            {type::tick, ui.theme.text3, Ink::Regular, Align::Right});
  }
  double ceiling = 0;
  for (std::int64_t i = 0; i < m.rows; ++i) {
    ceiling = std::max(
        ceiling, std::log(static_cast<double>(std::max<std::int64_t>(1, measures.row(m.b, m.h, i).allowed))));
  }
  const float number_width = ui.px(40);
  const float track = std::max(0.f, width - number_width - ui.px(8)), needed = ui.px(14);
  const std::int64_t step = label_step(m.side, needed);
  for (std::int64_t i = 0; i < m.rows; ++i) {
    const RowMeasures& row = measures.row(m.b, m.h, i);
    const Box cell = cell_box(m.cells, i, 0, m.rows, m.columns);
    const bool marked = m.is_chosen && i == m.marked.query;
    const float height = std::clamp(std::floor(m.side * 0.28f), 1.f, ui.px(10)),
                y = std::round(cell.centre_y() - height / 2);
    const float full =
        ceiling > 0 ? static_cast<float>(
                          std::log(static_cast<double>(std::max<std::int64_t>(1, row.allowed))) / ceiling) *
                          track
                    : 0;
    const bool drawn = ceiling > 0 && std::isfinite(row.entropy);
    const float filled = drawn ? std::min(static_cast<float>(row.entropy / ceiling), 1.f) * track : 0;
    const float radius = std::min(ui.px(2), height / 2);
    const bool near_marked =
        m.is_chosen && !marked && std::abs(static_cast<float>(i - m.marked.query)) * m.side < needed;
    if (track > ui.px(16)) {
      ui.fill({x, y, std::max(full, ui.px(2)), height}, row.allowed < 2 ? ui.theme.bar : ui.theme.bar_ground,
              radius);
      ui.fill({x, y, filled, height}, marked ? ui.theme.query : ui.theme.bar, radius);
    }
    if (!marked && (i % step != 0 || near_marked)) continue;
    const std::string text = row.allowed == 0 ? "no key" : row.allowed < 2 ? "n/a" : fixed(row.entropy, 2);
    ui.text(x + width, cell.centre_y(), text,
            {type::tick,
             marked            ? ui.theme.text1
             : row.allowed < 2 ? ui.theme.text3
                               : ui.theme.text2,
             marked ? Ink::Semibold : Ink::Regular, Align::Right});
  }
}

void draw_received(const MapFrame& m) {
  const Ui& ui = m.ui();
  const std::vector<double>& received = m.scene.result.measures.head(m.b, m.h).received;
  double most = 1e-9;
  for (const double r : received) most = std::fmax(most, r);
  const float top = m.cells.bottom() + ui.px(8), tallest = ui.px(20);
  if (m.label_width > ui.px(52)) {
    ui.text(m.cells.x - ui.px(10), top + ui.px(6), "received",
            {type::tick, ui.theme.text2, Ink::Regular, Align::Right});
    ui.text(m.cells.x - ui.px(10), top + ui.px(22), "Σ queries",
            {type::tick, ui.theme.text3, Ink::Regular, Align::Right});
  }
  const std::int64_t step = label_step(m.side, ui.px(26));
  for (std::int64_t j = 0; j < m.columns; ++j) {
    const double value = received[static_cast<std::size_t>(j)];
    const Box cell = cell_box(m.cells, 0, j, m.rows, m.columns);
    const bool marked = m.is_chosen && j == m.marked.key;
    const float share = std::isfinite(value) ? static_cast<float>(value / most) : 0;
    const float height = std::max(ui.px(2), share * tallest);
    const float width = std::max(1.f, std::min(cell.w * 0.65f, ui.px(26)));
    ui.fill({std::round(cell.centre_x() - width / 2), top, std::round(width), std::round(height)},
            marked ? ui.theme.key : ui.theme.bar, std::min(ui.px(2), width / 2));
    if (!marked && j % step != 0) continue;
    if (!marked && m.is_chosen && step > 1 &&
        std::abs(static_cast<float>(j - m.marked.key)) * m.side < ui.px(26))
      continue;
    // Under its own bar while bars are wide; where they are thin a number would stand among its neighbours'
    // bars.
    const float y = top + (step > 1 ? tallest : height) + ui.px(9);
    ui.text(cell.centre_x(), y, fixed(value, 1),
            {type::tick, marked ? ui.theme.text1 : ui.theme.text2, marked ? Ink::Semibold : Ink::Regular,
             Align::Centre});
  }
}

void take_mouse(const MapFrame& m) {
  const std::string id = "heatmap " + std::to_string(m.b);
  ImGui::SetNextItemAllowOverlap();  // a message may float above the cells
  const Ui::Touch touch = m.ui().touch(id.c_str(), m.cells);
  if (!touch.hovered && !touch.clicked) return;
  const Cell under = cell_at(m.cells, ImGui::GetIO().MousePos, m.rows, m.columns);
  if (touch.clicked) {
    m.scene.next.sequence = m.b;
    m.scene.next.cell = under;
    m.scene.next.locked = true;
  }
  if (touch.hovered && m.is_chosen) {
    m.scene.next.hovered_cell = under;
  } else if (touch.hovered) {
    m.scene.view.hint = "click to look at this sequence";
  }
}

}  // namespace

Box draw_heat_map(Scene& scene, const Box& area, std::int64_t b, HeatMapStyle style) {
  const Ui& ui = scene.ui;
  const Dimensions& d = scene.result.dimensions;
  MapFrame m{scene, b, scene.head(), d.queries, d.keys, {}, 0, 0, scene.cell(), b == scene.sequence()};
  const float caption = style.caption ? ui.px(28) : 0;
  const float received = ui.px(52), strip_gap = ui.px(16);
  const float strip = style.wide_strip ? ui.px(176)
                      : style.caption  ? ui.px(56)
                                       : std::clamp(std::floor(area.w * 0.28f), ui.px(96), ui.px(190));
  const float key_width = widest_label(scene, key_label, m.columns, d.extra, type::label);
  m.label_width = std::clamp(widest_label(scene, query_label, m.rows, 0, type::label) + 1,
                             ui.px(style.caption ? 44 : 56), ui.px(style.caption ? 72 : 112));

  // Labels turn upright when they do not fit over their columns; "key →" needs a line of its own above them.
  const float left = m.label_width + ui.px(18), room = area.w - left - strip_gap - strip;
  const float guess =
      std::floor(std::min(room / static_cast<float>(m.columns),
                          (area.h - received - caption - ui.px(52)) / static_cast<float>(m.rows)));
  const bool upright = m.columns > 8 || key_width > guess - ui.px(6);
  const float label_room = upright ? std::min(key_width + ui.px(4), ui.px(96)) : ui.px(20);
  const float head = caption + ui.px(22) + label_room + ui.px(8);
  const float height = area.h - head - received;
  const float exact = std::min(room / static_cast<float>(m.columns), height / static_cast<float>(m.rows));
  if (exact <= 0) return {area.x, area.y, 0, 0};
  m.side = exact >= 2 ? std::min(std::floor(exact), ui.px(96)) : exact;
  m.cells = {std::round(area.x + left), std::round(area.y + head),
             std::floor(m.side * static_cast<float>(m.columns)),
             std::floor(m.side * static_cast<float>(m.rows))};

  if (style.caption) {
    const auto& sequences = scene.result.document.input.sequences;
    const std::string text =
        b < static_cast<std::int64_t>(sequences.size()) ? sequences[static_cast<std::size_t>(b)].text : "";
    ui.text(area.x, area.y + ui.px(10), std::to_string(b + 1) + "  " + text,
            {type::label, m.is_chosen ? ui.theme.text1 : ui.theme.text3,
             m.is_chosen ? Ink::Medium : Ink::Regular, Align::Left, area.w});
  }
  const ColourScale scale = colour_scale(scene, scene.view.stage, m.h);
  ui.text(m.cells.x, area.y + caption + ui.px(10), "key →", {type::label, ui.theme.key, Ink::Medium});
  ui.text(m.cells.x - ui.px(10), m.cells.y - ui.px(14), "query ↓",
          {type::label, ui.theme.query, Ink::Medium, Align::Right});
  draw_query_labels(m);
  draw_key_labels(m, upright, label_room);
  draw_matrix(scene, ("focus " + std::to_string(b)).c_str(), m.cells, scene.view.stage, b, m.h, scale);
  draw_values(m, scale);
  draw_mark(m);
  // What a map limited by its height leaves over goes to the entropy tracks.
  const float spare =
      style.wide_strip ? std::clamp(area.right() - m.cells.right() - strip_gap, strip, ui.px(320)) : strip;
  draw_entropy_strip(m, m.cells.right() + strip_gap, spare, style.wide_strip);
  draw_received(m);
  take_mouse(m);
  return m.cells;
}

}  // namespace attnscope
