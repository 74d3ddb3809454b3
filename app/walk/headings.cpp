// app/walk: the surroundings of a matrix: its name, its formula, and the tokens of its rows and
// columns.
#include <algorithm>
#include <cmath>

#include "app/kit/ui/number_format.hpp"
#include "app/kit/ui/own_words.hpp"
#include "app/views/parts/map_frame.hpp"
#include "app/walk/formula.hpp"
#include "app/walk/matrix.hpp"
#include "app/walk/walk_state.hpp"

namespace attnscope::walk {
namespace {

std::string size_text(const Panel& panel) {
  return grouped(panel.row_count()) + " × " + grouped(panel.columns);
}

/// Every how many-th label is drawn, so that labels do not overlap.
std::int64_t step_of(float side, float needed) {
  return std::max<std::int64_t>(1, std::llround(std::ceil(needed / std::max(side, 0.01f))));
}

}  // namespace

float title_width(const View& v, const Panel& panel) {
  const float name = with_indices(panel.title, type::body, 0, Ink::Semibold).width(v.ui());
  const float hue = panel.hue != 0 ? v.ui().px(9) : 0;
  const float size = panel.is_parameter() ? v.ui().text_width(size_text(panel), type::tick) : 0;
  return std::max(name + hue, size) + 1;
}

float label_width(const View& v, const Panel& panel) {
  const Ui& ui = v.ui();
  float widest = panel.is_plane() ? ui.text_width("query ↓", type::label, Ink::Medium) : 0;
  for (std::int64_t i = 0; i < std::min<std::int64_t>(panel.row_count(), 200); ++i)
    widest = std::max(widest, ui.text_width(row_label(v, panel, i), type::label, Ink::Semibold));
  return std::clamp(widest + 1, ui.px(16), ui.px(v.scene.compact ? 80 : 104));
}

void draw_heading(const Matrix& m, bool is_current) {
  const Ui& ui = m.ui();
  const Panel& panel = m.panel;
  const Box& slot = m.place.slot;
  const float light = m.view.light(panel.stage), ink_light = light < 1 ? 0.7f : 1;
  const Box name{slot.x, slot.y, slot.w, ui.px(heading - 6)};
  const Ui::Touch touch = ui.touch((panel.id + " name").c_str(), name);
  float x = slot.x;
  const float y = slot.y + ui.px(9);
  if (panel.hue != 0) {
    ui.fill({x, y - ui.px(7), ui.px(3), ui.px(14)}, fade(panel.hue, ink_light), ui.px(1));
    x += ui.px(9);
  }
  const Rgba ink = is_current || touch.hovered || touch.focused ? ui.theme.query : ui.theme.text1;
  x += with_indices(panel.title, type::body, ink, Ink::Semibold).draw(ui, x, y, ink_light);
  const std::string size = size_text(panel);
  const bool beside = x + ui.px(10) + ui.text_width(size, type::tick) <= slot.right();
  if (beside)
    ui.text(slot.right(), y, size, {type::tick, fade(ui.theme.text3, ink_light), Ink::Regular, Align::Right});
  Formula caption = with_indices(panel.caption, type::tick, ui.theme.text3);
  if (caption.width(ui) > slot.w) {  // too wide: the left-hand side is left out, as the name is above it
    const std::string said = ui.translated(panel.caption);
    const std::size_t equals = said.find("= ");
    caption = with_indices(equals == std::string::npos ? "" : own(said.substr(equals + 2)), type::tick,
                           ui.theme.text3);
  }
  if (!beside && (caption.empty() || caption.width(ui) > slot.w))
    caption = with_indices(size, type::tick, ui.theme.text3);
  if (caption.width(ui) <= slot.w + ui.px(4)) caption.draw(ui, slot.x, slot.y + ui.px(27), ink_light);
  const std::string title = panel.title + "  " + size;
  tooltip(ui, touch.hovered, name, {title, panel.caption, panel.why, {}});
  if (!touch.clicked) return;
  WalkState& state = m.view.state;
  state.playing = false;
  m.view.script.go(state, m.view.script.first(panel.stage) + m.view.script.moves_of(panel.stage));
}

void draw_row_labels(const Matrix& m) {
  if (!m.panel.labelled) return;
  const Ui& ui = m.ui();
  const float needed = ui.px(15),
              side = m.place.cells.h / static_cast<float>(std::max<std::int64_t>(1, m.place.rows));
  const std::int64_t step = step_of(side, needed);
  const std::int64_t query = query_row(m.view, m.panel), key = key_row(m.view, m.panel);
  const float room = label_width(m.view, m.panel);
  for (std::int64_t i = m.first_row; i < m.first_row + m.place.rows; ++i) {
    const bool asks = i == query, answers = i == key;
    const auto near_marked = [&](std::int64_t row) {
      return m.shows_row(row) && std::abs(static_cast<float>(i - row)) * side < needed;
    };
    // If the labels of query and key would overlap, the query's is drawn.
    if (!asks && near_marked(query) && step > 1) continue;
    if (!asks && !answers && ((i - m.first_row) % step != 0 || (step > 1 && near_marked(key)))) continue;
    const Rgba ink = asks ? ui.theme.query : answers ? ui.theme.key : ui.theme.text2;
    ui.text(m.place.cells.x - ui.px(10), m.row_box(i).centre_y(), row_label(m.view, m.panel, i),
            {type::label, ink, asks || answers ? Ink::Semibold : Ink::Regular, Align::Right, room});
  }
}

void draw_key_labels(const Matrix& m) {
  if (!m.panel.is_plane()) return;
  const Ui& ui = m.ui();
  const Box& cells = m.place.cells;
  const float side = cells.w / static_cast<float>(m.place.columns), needed = ui.px(15);
  const std::int64_t step = step_of(side, needed);
  const float opacity = m.view.light(m.panel.stage) < 1 ? 0.7f : 1;
  for (std::int64_t j = m.first_column; j < m.first_column + m.place.columns; ++j) {
    const bool marked = j == m.view.cell.key;
    const bool near_marked = !marked && std::abs(static_cast<float>(j - m.view.cell.key)) * side < needed;
    if (!marked && m.upright && step > 1 && ((j - m.first_column) % step != 0 || near_marked)) continue;
    const Box cell = m.cell(m.first_row, j);
    const std::string label = key_label(m.view.result(), m.view.b, j);
    TextStyle style{type::label, fade(marked ? ui.theme.key : ui.theme.text2, opacity),
                    marked ? Ink::Semibold : Ink::Regular};
    if (m.upright && !lies_flat(ui, label)) {
      style.max_width = cells.y - m.place.slot.y - ui.px(heading + 8);
      ui.upright_text(cell.centre_x(), cells.y - ui.px(6), label, style);
    } else {
      style.align = Align::Centre;
      style.max_width = m.upright ? ui.px(label_height) : cell.w;
      ui.text(cell.centre_x(), cells.y - ui.px(11), label, style);
    }
  }
  if (!m.panel.labelled) return;
  const float x = cells.x - ui.px(10);
  ui.text(x, cells.y - ui.px(11), "query ↓", {type::label, ui.theme.query, Ink::Medium, Align::Right});
  if (m.upright)
    ui.text(x, cells.y - ui.px(30), "key →", {type::label, ui.theme.key, Ink::Medium, Align::Right});
  else
    ui.text(cells.x, cells.y - ui.px(28), "key →", {type::label, ui.theme.key, Ink::Medium});
}

}  // namespace attnscope::walk
