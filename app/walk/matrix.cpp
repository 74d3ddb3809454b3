#include "app/walk/matrix.hpp"

#include <algorithm>
#include <cmath>

#include "app/kit/ui/number_format.hpp"
#include "app/state/window_state.hpp"
#include "app/walk/formula.hpp"
#include "app/walk/walk_state.hpp"

namespace attnscope::walk {
namespace {

float thin(const Ui& ui) { return std::max(1.f, std::floor(ui.scale())); }

/// The frame of the current stage.
void draw_stage_frame(const Matrix& m) {
  const Ui& ui = m.ui();
  const Box frame = m.place.slot.grown(ui.px(7));
  ui.fill(frame, ui.theme.raised, ui.px(8));
  ui.frame(frame, ui.theme.query, ui.px(2), ui.px(8));
}

void frame_row(const Matrix& m, std::int64_t row, Rgba hue) {
  if (row < 0 || !m.shows_row(row)) return;
  const Ui& ui = m.ui();
  Box box = m.row_box(row);
  box.h = std::max(box.h, ui.px(3));
  ui.frame(box.grown(ui.px(1)), fade(hue, m.view.light(m.panel.stage)), ui.px(2), ui.px(3));
}

void frame_cell(const Matrix& m, const Box& cell, Rgba hue, float light) {
  const Ui& ui = m.ui();
  const Box box{cell.x, cell.y, std::max(ui.px(3), cell.w - thin(ui)), std::max(ui.px(3), cell.h - thin(ui))};
  ui.frame(box.grown(ui.px(3)), fade(ui.theme.name == ThemeName::Light ? 0xFFFFFFFFu : 0xFF000000u, light),
           ui.px(2), ui.px(4));
  ui.frame(box.grown(ui.px(2)), fade(hue, light), ui.px(2), ui.px(3));
}

/// Marks the dimension whose products the card writes out, while its stage is the current one.
void draw_dimension(const Matrix& m) {
  const Ui& ui = m.ui();
  const Panel& panel = m.panel;
  const std::optional<Stage> current = m.view.current();
  if (!current || panel.stage != *current || panel.is_plane()) return;
  const Stage stage = panel.stage;
  const bool of_head =
      stage == Stage::Query || stage == Stage::Key || info(stage).level == StageLevel::Rotation;
  const bool of_value = stage == Stage::Value || stage == Stage::Mix;
  if (panel.is_parameter()) {
    const std::int64_t column = of_head                                      ? head_dimension(m.view)
                                : stage == Stage::Output || is_latent(stage) ? model_dimension(m.view, stage)
                                                                             : value_dimension(m.view);
    const Box top = m.cell(0, column);
    ui.frame(Box{top.x, top.y, top.w, m.place.cells.h}.grown(ui.px(1)), ui.theme.text1, thin(ui), ui.px(2));
    return;
  }
  if (panel.unit == Unit::Model && stage == Stage::Value) return;
  const std::int64_t column = of_head                  ? head_dimension(m.view)
                              : of_value               ? value_dimension(m.view)
                              : stage == Stage::Concat ? block_of(m.view).first + value_dimension(m.view)
                                                       : model_dimension(m.view, stage);
  const std::int64_t row = panel.rows == Rows::Keys ? m.view.cell.key : query_row(m.view, panel);
  if (m.shows_row(row) && column < panel.columns)
    frame_cell(m, m.cell(row, column), panel.hue != 0 ? panel.hue : ui.theme.query, 1);
}

/// Marks the part of this head: columns of the concatenated heads, rows of W_O.
void draw_head_block(const Matrix& m) {
  const Ui& ui = m.ui();
  const HeadBlock block = block_of(m.view);
  const bool is_block = m.panel.is_parameter() && m.panel.lower;
  if ((!is_block && m.panel.stage != Stage::Concat) || m.view.result().dimensions.heads < 2) return;
  const Box &cells = m.place.cells,
            first = is_block ? m.cell(block.first, 0) : m.cell(m.first_row, block.first),
            last = is_block ? m.cell(block.first + block.count - 1, 0)
                            : m.cell(m.first_row, block.first + block.count - 1);
  const Box box = is_block ? Box{cells.x, first.y, cells.w, last.bottom() - first.y}
                           : Box{first.x, cells.y, last.right() - first.x, cells.h};
  ui.frame(box.grown(ui.px(1)), fade(ui.theme.head(m.view.h), m.view.light(m.panel.stage)), thin(ui),
           ui.px(2));
}

void draw_marks(const Matrix& m) {
  const Ui& ui = m.ui();
  const float light = m.view.light(m.panel.stage);
  draw_head_block(m);
  if (m.panel.is_plane()) {
    const Cell cell = m.view.cell;
    const bool visible =
        m.shows_row(cell.query) && cell.key >= m.first_column && cell.key < m.first_column + m.place.columns;
    if (visible) frame_cell(m, m.cell(cell.query, cell.key), ui.theme.query, 0.5f + 0.5f * light);
    return;
  }
  const bool value = m.panel.stage == Stage::Value;
  frame_row(m, key_row(m.view, m.panel), value ? ui.theme.value : ui.theme.key);
  frame_row(m, query_row(m.view, m.panel), ui.theme.query);
  draw_dimension(m);
}

/// A short colour ramp with its ends, and how much is out of sight.
void draw_foot(const Matrix& m, const Look& now) {
  const Ui& ui = m.ui();
  const Box& cells = m.place.cells;
  const float y = cells.bottom() + ui.px(12), opacity = m.view.light(m.panel.stage) < 1 ? 0.7f : 1;
  const std::int64_t more = m.panel.is_plane() ? m.panel.columns - m.place.columns : 0;
  float right = m.place.slot.right();
  if (more > 0) {
    const std::string text = "… " + grouped(more) + " more";
    right -= ui.text(right, y, text, {type::tick, ui.theme.text3, Ink::Regular, Align::Right}) + ui.px(8);
  }
  if (m.panel.labelled && m.place.rows < m.panel.row_count()) {
    const std::string few = "… " + grouped(m.panel.row_count() - m.place.rows), text = few + " more";
    const bool fits = ui.text_width(text, type::tick) <= label_width(m.view, m.panel);
    ui.text(cells.x - ui.px(10), y, fits ? text : few,
            {type::tick, ui.theme.text3, Ink::Regular, Align::Right});
  }
  if (!m.panel.lower) return;
  const ColourScale scale = m.contents.scale(m.panel, now);
  const float span = m.panel.is_plane() ? 0.72f : 0.62f;
  const double end = static_cast<double>(scale.zero_centred ? scale.high * span : scale.high);
  const bool shares = now.phase == Phase::Product || now.phase == Phase::Seen;
  const auto low = static_cast<double>(scale.low);
  const auto weight = [](double w) {
    return w == 0 || w == 1 ? fixed(w, 0) : w < 0.05 ? tight(w) : fixed(w, 2);
  };
  const std::string text = shares ? "share of Σ"
                           : scale.zero_centred
                               ? "±" + (end < 0.05 ? tiny(end) : fixed(end, end < 100 ? 2 : 0))
                               : (scale.log ? "log " : "") + weight(low) + " … " + weight(end);
  const float wide = ui.text_width(text, type::tick) + ui.px(8);
  const float ramp = std::min(ui.px(80), right - cells.x - wide);
  if (ramp < ui.px(16)) {
    if (wide - ui.px(8) <= right - cells.x)
      ui.text(cells.x, y, text, {type::tick, fade(ui.theme.text3, opacity)});
    return;
  }
  const Box bar{cells.x, std::round(y - ui.px(3)), std::floor(ramp), ui.px(6)};
  draw_ramp(ui, (m.panel.id + " ramp").c_str(), bar, scale,
            scale.zero_centred ? -scale.high * span : scale.low,
            scale.zero_centred ? scale.high * span : scale.high);
  ui.frame(bar, ui.theme.border, thin(ui));
  ui.text(cells.x + ramp + ui.px(8), y, text, {type::tick, fade(ui.theme.text3, opacity)});
}

/// A click also chooses the dimension whose products the card writes out.
void keep_dimension(const Matrix& m, std::int64_t column) {
  WalkState& state = m.view.state;
  const Panel& panel = m.panel;
  const bool of_value = panel.stage == Stage::Value || panel.stage == Stage::Mix;
  if (panel.is_plane() || is_latent(panel.stage)) return;
  if (panel.stage == Stage::Concat) {
    const HeadBlock block = block_of(m.view);
    if (column >= block.first && column < block.first + block.count)
      state.value_dimension = column - block.first;
  } else if (panel.unit == Unit::Model || (panel.is_parameter() && panel.lower)) {
    const bool of_the_block = is_of_block(panel.stage) && info(panel.stage).shape != inner_shape;
    if (panel.stage == Stage::Memory || panel.stage == Stage::Position || panel.stage == Stage::Output ||
        of_the_block)
      state.model_dimension = column;
  } else {
    (of_value ? state.value_dimension : state.head_dimension) = column;
  }
}

void scroll(const Matrix& m) {
  const ImGuiIO& io = ImGui::GetIO();
  WalkState& state = m.view.state;
  const bool sideways = io.KeyShift && m.panel.is_plane();
  const auto by = [](float lines) { return static_cast<std::int64_t>(std::lround(-lines)); };
  const std::int64_t rows = sideways ? 0 : by(io.MouseWheel),
                     columns = by(io.MouseWheelH + (sideways ? io.MouseWheel : 0));
  if (m.place.rows < m.panel.row_count() && !m.panel.is_parameter())
    (m.panel.rows == Rows::Keys ? state.first_key : state.first_query) += rows;
  if (m.panel.is_plane() && m.place.columns < m.panel.columns) state.first_key += columns;
}

void take_mouse(const Matrix& m, const Look& now) {
  const Ui& ui = m.ui();
  ImGui::SetNextItemAllowOverlap();  // a message may float above the cells
  const Ui::Touch touch = ui.touch(m.panel.id.c_str(), m.place.cells);
  if (touch.focused) ui.frame(m.place.cells.grown(ui.px(4)), ui.theme.query, ui.px(2), ui.px(4));
  if (!touch.pointed) return;
  Cell under = cell_at(m.place.cells, ImGui::GetIO().MousePos, m.place.rows, m.place.columns);
  under = {under.query + m.first_row, under.key + m.first_column};
  const std::optional<Cell> cell = cell_of(m.view, m.panel, under.query, under.key);
  Scene& scene = m.view.scene;
  scroll(m);
  if (cell) scene.next.hovered_cell = *cell;
  if (touch.clicked) {
    keep_dimension(m, under.key);
    if (cell) {
      scene.next.cell = *cell;
      scene.next.locked = true;
    }
  }
  const std::string value =
      fixed(static_cast<double>(m.contents.at(m.panel, now, under.query, under.key)), 6);
  std::string where = row_label(m.view, m.panel, under.query);
  where += m.panel.is_plane() ? " → " + key_label(m.view.result(), m.view.b, under.key)
                              : " · dimension " + grouped(under.key);
  if (m.panel.is_parameter()) where = "row " + grouped(under.query) + " · column " + grouped(under.key);
  scene.view.hint = m.panel.title + "   " + where + "   " + value;
  const std::string title = m.panel.title + "  " + where;
  tooltip(ui, touch.hovered, m.cell(under.query, under.key), {title, value, m.panel.why, {}},
          Clear::OfRowAndColumn);
}

}  // namespace

Box Matrix::row_box(std::int64_t row) const {
  const Box box = cell_box(place.cells, row - first_row, 0, place.rows, 1);
  return shows_row(row) ? box : Box{place.cells.x, place.cells.y, place.cells.w, 0};
}

Box Matrix::cell(std::int64_t row, std::int64_t column) const {
  return cell_box(place.cells, row - first_row, column - first_column, place.rows, place.columns);
}

void draw(const Matrix& m) {
  if (m.place.cells.w < 1 || m.place.cells.h < 1 || m.place.rows < 1 || m.place.columns < 1) return;
  const View& v = m.view;
  const std::optional<Stage> current = v.current();
  const bool is_current = current == m.panel.stage && !m.panel.is_parameter() && m.panel.title != "X_V";
  const int made = v.made(m.panel.stage);
  const Look now = look_after(v, m.panel, made);
  const Look before = current == m.panel.stage && v.shown < 1 ? look_after(v, m.panel, made - 1) : now;
  if (is_current) draw_stage_frame(m);
  draw_heading(m, is_current);
  draw_row_labels(m);
  draw_key_labels(m);
  if (m.lid != nullptr) return (*m.lid)(m.place.cells);  // neither its mouse nor its range tells a number
  draw_cells(m, before, now, v.shown);
  draw_marks(m);
  draw_foot(m, now);
  take_mouse(m, now);
}

}  // namespace attnscope::walk
