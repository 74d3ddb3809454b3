// app/pages/lessons: the way back through the softmax as a step's picture: the weights of a head, the loss's
// gradient of them and that of the logits, with the length of every row.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <optional>
#include <string>

#include "app/kit/ui/number_format.hpp"
#include "app/pages/lessons/step/head_weights.hpp"
#include "app/pages/lessons/step/parts.hpp"
#include "app/scene/picture.hpp"
#include "app/state/plane.hpp"

namespace attnscope {
namespace {

/// One of the three matrices, [queries][keys].
struct GradientPlane {
  std::string_view symbol;
  ConstMatrixMap<float> values;
  ColourScale scale;
  Box cells = {}, bars = {};  // bars: the lengths of the rows; w 0: none
  bool covered = false;
};

float row_length(const GradientPlane& plane, std::int64_t row) { return plane.values.row(row).norm(); }

float largest_of_plane(const ConstMatrixMap<float>& values) {
  float most = 0;
  for (std::int64_t i = 0; i < values.rows(); ++i)
    for (std::int64_t j = 0; j < values.cols(); ++j)
      if (std::isfinite(values(i, j))) most = std::max(most, std::abs(values(i, j)));
  return most;
}

/// Where the matrices stand: in a line, one below the other, or the third below the second, whichever makes
/// them largest.
struct GradientPlaces {
  int columns = 3;
  float labels = 0, title = 0, foot = 0, bars = 0, gap = 0, cell = 0;

  int lines() const { return columns == 3 ? 1 : 4 - columns; }
  int column(int plane) const { return columns == 2 ? std::min(plane, 1) : columns == 3 ? plane : 0; }
  int line(int plane) const { return columns == 3 ? 0 : columns == 2 ? plane / 2 : plane; }
  /// Bars stand beside gradients, not beside weights, which have a column of their own or share it.
  int bars_across() const { return columns == 1 ? 1 : columns - 1; }
  bool has_labels(int plane) const { return column(plane) == 0 || line(plane) > 0; }
};

GradientPlaces place_gradients(const LessonPage& page, const Box& area) {
  const Ui& ui = page.ui();
  const Dimensions& d = page.scene.result.dimensions;
  GradientPlaces at, best;
  for (std::int64_t i = 0; i < std::min<std::int64_t>(d.queries, 64); ++i)
    at.labels =
        std::max(at.labels, ui.text_width(query_label(page.scene.result, 0, i), type::label, Ink::Semibold));
  at.labels = std::round(std::min(at.labels, ui.px(88)) + ui.px(12));
  at.title = ui.px(26);
  at.foot = ui.px(26);
  at.bars = ui.px(46);  // with the space before them
  at.gap = ui.px(page.scene.compact ? 14 : 22);
  for (const int columns : {3, 2, 1}) {
    at.columns = columns;
    const auto across = static_cast<float>(columns), down = static_cast<float>(at.lines());
    const float width =
        (area.w - at.labels - at.gap * (across - 1) - at.bars * static_cast<float>(at.bars_across())) /
        across;
    const float high = area.h / down - at.title - at.foot;
    at.cell = std::min({width / static_cast<float>(d.keys), high / static_cast<float>(d.queries), ui.px(72)});
    if (at.cell > best.cell) best = at;
  }
  return best;
}

void draw_gradient_cells(const LessonPage& page, const GradientPlane& plane, std::int64_t head) {
  const Scene& scene = page.scene;
  const Ui& ui = scene.ui;
  const std::string place = "lesson gradient " + std::string(plane.symbol);
  std::uint64_t content = mix_hash(scene.result.ticket, std::bit_cast<std::uintptr_t>(plane.values.data()));
  for (const std::int64_t part :
       {head, static_cast<std::int64_t>(ui.theme.name), static_cast<std::int64_t>(plane.cells.w),
        static_cast<std::int64_t>(plane.cells.h)})
    content = mix_hash(content, static_cast<std::uint64_t>(part));
  content = mix_hash(content, plane.scale.high);
  ui.matrix(place.c_str(), content, plane.cells, [&](const Ui::UseJob& use) {
    RasterJob job = whole_matrix(ui, plane.values, colormap(plane.scale.map), plane.cells);
    job.low = plane.scale.low;
    job.high = plane.scale.high;
    job.kind = [&](std::int64_t query, std::int64_t key) {
      return scene.is_masked(0, head, query, key) ? CellKind::Masked : CellKind::Number;
    };
    use(job);
  });
}

/// The length of every row beside its cells; the longest one fills the width.
void draw_row_lengths(const LessonPage& page, const GradientPlane& plane) {
  const Ui& ui = page.ui();
  const std::int64_t rows = plane.values.rows();
  float most = 0;
  for (std::int64_t i = 0; i < rows; ++i)
    if (std::isfinite(row_length(plane, i))) most = std::max(most, row_length(plane, i));
  for (std::int64_t i = 0; i < rows; ++i) {
    const Box row = cell_box(plane.bars, i, 0, rows, 1);
    const float length = row_length(plane, i);
    const float share = most > 0 && std::isfinite(length) ? length / most : 0;
    const bool chosen = i == lesson_row(page);
    ui.fill({row.x, row.y + row.h * 0.2f, std::max(1.f, std::round(row.w * share)), row.h * 0.6f},
            chosen ? ui.theme.query : ui.theme.text3, ui.px(1));
  }
}

void take_mouse_of_gradients(LessonPage& page, const GradientPlane& plane) {
  Scene& scene = page.scene;
  const Ui& ui = scene.ui;
  const Ui::Touch touch = ui.touch(("lesson plane " + std::string(plane.symbol)).c_str(), plane.cells);
  if (touch.focused) ui.frame(plane.cells.grown(ui.px(3)), ui.theme.query, ui.px(2), ui.px(4));
  if (!touch.pointed) return;
  const std::int64_t rows = plane.values.rows(), columns = plane.values.cols();
  const Cell under = cell_at(plane.cells, ImGui::GetIO().MousePos, rows, columns);
  scene.next.hovered_cell = under;
  if (touch.clicked) scene.next.choose(under);
  const std::string where = own(plane.symbol) + "   " + query_label(scene.result, 0, under.query) + " → " +
                            key_label(scene.result, 0, under.key);
  tooltip(ui, touch.hovered, cell_box(plane.cells, under.query, under.key, rows, columns),
          {where, tiny(static_cast<double>(plane.values(under.query, under.key))), {}, {}},
          Clear::OfRowAndColumn);
}

/// Frames the step's row and cell, and the row or column that a word of the prose refers to.
void mark_gradients(const LessonPage& page, const GradientPlane& plane) {
  using Kind = lessons::Anchor::Kind;
  const Ui& ui = page.ui();
  const std::int64_t rows = plane.values.rows(), columns = plane.values.cols();
  const auto ring = [&](const Box& box, Rgba colour) {
    if (box.w > 0 && box.h > 0) ui.frame(box.grown(ui.px(2)), colour, ui.px(2), ui.px(3));
  };
  const auto row = [&](std::int64_t at) { return cell_box(plane.cells, at, 0, rows, 1); };
  ring(row(lesson_row(page)), ui.theme.query);
  if (!page.pointed || page.pointed->places.empty()) return;
  const std::int64_t at = page.pointed->places.front();
  if (page.pointed->kind == Kind::Query && at >= 0 && at < rows) ring(row(at), ui.theme.text1);
  if (page.pointed->kind == Kind::Key && at >= 0 && at < columns)
    ring(cell_box(plane.cells, 0, at, 1, columns), ui.theme.key);
}

void draw_gradient_plane(LessonPage& page, const GradientPlane& plane, std::int64_t head) {
  const Ui& ui = page.ui();
  ui.text(plane.cells.x, plane.cells.y - ui.px(15), own(plane.symbol),
          {type::body, ui.theme.text1, Ink::Semibold});
  if (plane.covered) {
    draw_lesson_lid(page, {plane.cells.x, plane.cells.y, plane.bars.right() - plane.cells.x, plane.cells.h},
                    ui.theme.border);
    return;
  }
  draw_gradient_cells(page, plane, head);
  mark_gradients(page, plane);
  const bool weights = !plane.scale.zero_centred;
  const std::string ends = weights ? "0 … 1" : "±" + tight(static_cast<double>(plane.scale.high));
  ui.text(plane.cells.x, plane.cells.bottom() + ui.px(13), ends, {type::tick, ui.theme.text3});
  if (plane.bars.w > 0) draw_row_lengths(page, plane);
  take_mouse_of_gradients(page, plane);
}

void draw_gradient_labels(const LessonPage& page, const Box& cells, const GradientPlaces& at) {
  const Ui& ui = page.ui();
  const Dimensions& d = page.scene.result.dimensions;
  const auto step = std::max<std::int64_t>(1, std::llround(std::ceil(ui.px(15) / std::max(at.cell, 0.01f))));
  for (std::int64_t i = 0; i < d.queries; i += step) {
    const bool chosen = i == lesson_row(page);
    ui.text(cells.x - ui.px(10), cell_box(cells, i, 0, d.queries, 1).centre_y(),
            query_label(page.scene.result, 0, i),
            {type::label, chosen ? ui.theme.query : ui.theme.text2, chosen ? Ink::Semibold : Ink::Regular,
             Align::Right, at.labels - ui.px(12)});
  }
}

}  // namespace

void draw_lesson_gradients(LessonPage& page, const Box& area) {
  const Ui& ui = page.ui();
  const LayerResult& result = page.scene.result;
  const std::int64_t head = std::min(page.scene.head(), result.dimensions.heads - 1);
  const bool there = result.gradients && result.gradients->weights && result.gradients->masked;
  if (!there) {
    ui.text(area.centre_x(), area.centre_y(), "Gradients are being computed",
            {type::body, ui.theme.text2, Ink::Regular, Align::Centre, area.w});
    return;
  }
  const GradientPlaces at = place_gradients(page, area);
  if (at.cell < 2) return;
  const auto gradient = [&](std::string_view symbol, const Tensor& of) {
    const ConstMatrixMap<float> values = of.matrix(0, head);
    const float most = std::max(largest_of_plane(values), 1e-30f);
    return GradientPlane{symbol, values, {ui.theme.scores, -most, most, true}};
  };
  const Stage weights = lesson_weights(page, result, head);
  std::array<GradientPlane, 3> planes{
      GradientPlane{"A", result.trace[weights]->matrix(0, head), colour_scale(page.scene, weights, head)},
      gradient("∂A", *result.gradients->weights), gradient("∂M", *result.gradients->masked)};
  planes[2].covered = page.hides();
  const Dimensions& d = result.dimensions;
  const float wide = std::floor(at.cell * static_cast<float>(d.keys)),
              high = std::floor(at.cell * static_cast<float>(d.queries));
  for (int i = 0; i < 3; ++i) {
    GradientPlane& plane = planes[static_cast<std::size_t>(i)];
    const auto column = static_cast<float>(at.column(i)), line = static_cast<float>(at.line(i));
    const float bars_before = at.columns == 3 && i == 2 ? at.bars : 0;
    plane.cells = {std::round(area.x + at.labels + column * (wide + at.gap) + bars_before),
                   std::round(area.y + at.title + line * (at.title + high + at.foot)), wide, high};
    if (i > 0)
      plane.bars = {plane.cells.right() + ui.px(6), plane.cells.y, at.bars - ui.px(6), plane.cells.h};
    if (at.has_labels(i)) draw_gradient_labels(page, plane.cells, at);
  }
  for (const GradientPlane& plane : planes) draw_gradient_plane(page, plane, head);
}

}  // namespace attnscope
