// app/pages/lessons: all heads of the layer as a step's picture, of the first text or of every text: the same
// stage of each, the chosen one framed.
#include <algorithm>
#include <cmath>
#include <string>

#include "app/kit/ui/number_format.hpp"
#include "app/lessons/lesson_numbers.hpp"
#include "app/pages/lessons/step/head_weights.hpp"
#include "app/pages/lessons/step/parts.hpp"
#include "app/scene/picture.hpp"
#include "app/state/plane.hpp"
#include "app/views/heads/thumbnail.hpp"

namespace attnscope {
namespace {

/// The places of the heads, device pixels. A picture's number counts the heads of the first text, then those
/// of the next one.
struct LessonHeads {
  std::int64_t columns = 1, heads = 1;
  float side = 0;    // the longer one of a picture
  float labels = 0;  // room for the tokens' names at the left
  float title = 0;   // height of the line above a picture
  float foot = 0;    // of the keys' names below it
  float gap = 0;     // between pictures
  Box picture_of_first;

  std::int64_t text_of(std::int64_t number) const { return number / heads; }
  std::int64_t head_of(std::int64_t number) const { return number % heads; }
  Box picture(std::int64_t number) const {
    const auto column = static_cast<float>(number % columns), row = static_cast<float>(number / columns);
    return {std::round(picture_of_first.x + column * (picture_of_first.w + gap)),
            std::round(picture_of_first.y + row * (picture_of_first.h + gap + title + foot)),
            picture_of_first.w, picture_of_first.h};
  }
};

/// How many texts have pictures: `view: grid` shows all of them.
std::int64_t texts_in_picture(const LessonPage& page) {
  return page.step.view == lessons::StepView::Grid ? page.scene.result.dimensions.batch : 1;
}

float widest_query_label(const Ui& ui, const LayerResult& result, std::int64_t texts) {
  float widest = 0;
  for (std::int64_t text = 0; text < texts; ++text)
    for (std::int64_t i = 0; i < std::min<std::int64_t>(result.dimensions.queries, 64); ++i)
      widest = std::max(widest, ui.text_width(query_label(result, text, i), type::label, Ink::Semibold));
  return std::min(widest, ui.px(96));
}

/// With the number of columns that makes the pictures largest; several texts stand below each other, one
/// head's pictures in a column, or, of a layer with one head, side by side.
LessonHeads place_lesson_heads(const LessonPage& page, const Box& area) {
  const Ui& ui = page.ui();
  const Dimensions& d = page.scene.result.dimensions;
  const Aspect aspect(d);
  LessonHeads best;
  const std::int64_t texts = texts_in_picture(page), count = texts * d.heads;
  const bool several = texts > 1 && d.heads > 1, beside = texts > 1 && d.heads == 1;
  const float labels = std::round(widest_query_label(ui, page.scene.result, texts) + ui.px(12)),
              title = ui.px(24), foot = ui.px(page.step.view == lessons::StepView::Grid ? 18 : 0),
              between = ui.px(page.scene.compact ? 14 : 20),
              gap = beside ? labels + ui.px(4) : between;  // each text has names of its own
  for (std::int64_t columns = several ? d.heads : 1;
       columns <= (several ? d.heads : std::min<std::int64_t>(count, 8)); ++columns) {
    const auto across = static_cast<float>(columns),
               down = static_cast<float>((count + columns - 1) / columns);
    const float width = (area.w - labels - gap * (across - 1)) / across;
    const float height = (area.h - gap * (down - 1)) / down - title - foot;
    const float side = std::floor(std::min(width / aspect.wide, height / aspect.high));
    if (side <= best.side) continue;
    best = {columns, d.heads, side, labels,
            title,   foot,    gap,  aspect.picture(ui, area.x + labels, area.y + title, side)};
  }
  return best;
}

/// What the step shows of a head; of a zeroed one its own weights.
Plane plane_of_head(const LessonPage& page, std::int64_t head) {
  const LayerResult& result = page.scene.result;
  if (page.step.stage && *page.step.stage != "weights")
    if (const auto plane = lessons::plane_called(result, *page.step.stage)) return *plane;
  return lesson_weights(page, result, head);
}

/// The names of the text's tokens beside a picture, as many as have room.
void draw_lesson_head_labels(const LessonPage& page, const LessonHeads& places, std::int64_t first) {
  const Ui& ui = page.ui();
  const Dimensions& d = page.scene.result.dimensions;
  const Box picture = places.picture(first);
  const float high = picture.h / static_cast<float>(d.queries);
  const auto step = std::max<std::int64_t>(1, std::llround(std::ceil(ui.px(15) / std::max(high, 0.01f))));
  for (std::int64_t i = 0; i < d.queries; i += step) {
    const bool chosen = i == lesson_row(page) && places.text_of(first) == 0;
    ui.text(picture.x - ui.px(8), cell_box(picture, i, 0, d.queries, d.keys).centre_y(),
            query_label(page.scene.result, places.text_of(first), i),
            {type::label, chosen ? ui.theme.query : ui.theme.text2, chosen ? Ink::Semibold : Ink::Regular,
             Align::Right, places.labels - ui.px(10)});
  }
}

/// Cells of the first text can be chosen, as it is the one that the table and the numbers are about.
void take_mouse_of_head(LessonPage& page, const Box& picture, std::int64_t text, std::int64_t head) {
  Scene& scene = page.scene;
  const Ui& ui = scene.ui;
  const std::string label = text > 0 ? "lesson text " + std::to_string(text) + " head " + std::to_string(head)
                                     : "lesson head " + std::to_string(head);
  const Ui::Touch touch = ui.touch(label.c_str(), picture);
  if (touch.hovered || touch.focused)
    ui.frame(picture.grown(ui.px(3)), ui.theme.text3, std::max(1.f, ui.px(1)), ui.px(4));
  if (touch.hovered) scene.next.hovered_head = head;
  if (touch.clicked) scene.next.head = head;
  if (!touch.pointed) return;
  const Dimensions& d = scene.result.dimensions;
  const Cell under = cell_at(picture, ImGui::GetIO().MousePos, d.queries, d.keys);
  if (text == 0) scene.next.hovered_cell = under;
  if (text == 0 && touch.clicked) scene.next.choose(under);
  const Plane plane = plane_of_head(page, head);
  const auto value = static_cast<double>(matrix_of(scene.result, plane, text, head)(under.query, under.key));
  const std::string where =
      query_label(scene.result, text, under.query) + " → " + key_label(scene.result, text, under.key);
  tooltip(ui, touch.hovered, cell_box(picture, under.query, under.key, d.queries, d.keys),
          {where, fixed(value, 4), {}, {}});
}

/// "text 2" beside the badge of its first head.
void name_text(const LessonPage& page, const Box& picture, std::int64_t text, float after) {
  const Ui& ui = page.ui();
  ui.text(picture.x + after + ui.px(8), picture.y - ui.px(12), "text " + std::to_string(text + 1),
          {type::tick, ui.theme.text2, Ink::Regular, Align::Left, picture.w - after - ui.px(8)});
}

/// The names of the text's keys below a picture whose cells have room for them.
void draw_key_names(const LessonPage& page, const Box& picture, std::int64_t text) {
  const Ui& ui = page.ui();
  const std::int64_t keys = page.scene.result.dimensions.keys;
  if (picture.w / static_cast<float>(keys) < ui.px(30)) return;
  for (std::int64_t j = 0; j < keys; ++j) {
    const Box cell = cell_box(picture, 0, j, 1, keys);
    const bool chosen = text == 0 && j == page.scene.cell().key;
    ui.text(cell.centre_x(), picture.bottom() + ui.px(11), key_label(page.scene.result, text, j),
            {type::tick, chosen ? ui.theme.key : ui.theme.text2, chosen ? Ink::Semibold : Ink::Regular,
             Align::Centre, cell.w - ui.px(2)});
  }
}

/// The numbers of a picture whose cells have room for them.
void print_cells(const LessonPage& page, const Box& picture, std::int64_t text, std::int64_t head,
                 const ColourScale& scale) {
  const Scene& scene = page.scene;
  const Ui& ui = scene.ui;
  const Dimensions& d = scene.result.dimensions;
  if (cell_box(picture, 0, 0, d.queries, d.keys).w < ui.px(24)) return;
  const Plane plane = plane_of_head(page, head);
  const auto values = matrix_of(scene.result, plane, text, head);
  bool whole = true;  // integers look like integers
  for (std::int64_t i = 0; i < d.queries; ++i)
    for (std::int64_t j = 0; j < d.keys; ++j)
      whole = whole && (!std::isfinite(values(i, j)) || values(i, j) == std::round(values(i, j)));
  CellMarks marks(scene, plane, text, head);
  for (std::int64_t i = 0; i < d.queries; ++i)
    for (std::int64_t j = 0; j < d.keys; ++j) {
      if (marks(i, j) != CellKind::Number) continue;
      const Box cell = cell_box(picture, i, j, d.queries, d.keys);
      const auto value = static_cast<double>(values(i, j));
      ui.text(cell.centre_x(), cell.centre_y(),
              is_weights(plane) ? in_cell(value)
              : whole           ? fixed(value, 0)
                                : score_in_cell(value),
              {type::tick, ink_on(colour_of(scale, values(i, j))), Ink::Regular, Align::Centre, cell.w});
    }
}

void draw_one_of_heads(LessonPage& page, const LessonHeads& places, std::int64_t which,
                       const ColourScale& scale) {
  Scene& scene = page.scene;
  const Ui& ui = scene.ui;
  const std::int64_t text = places.text_of(which), head = places.head_of(which);
  const Box picture = places.picture(which);
  const bool chosen = head == scene.selection.head;
  const Rgba hue = ui.theme.head(head);
  const std::string number = std::to_string(head);
  const float wide = std::max(ui.px(18), ui.text_width(number, type::tick, Ink::Semibold) + ui.px(8));
  // The lid over all of them leaves what stands above the first row and below the last.
  const std::int64_t count = texts_in_picture(page) * scene.result.dimensions.heads;
  if (!page.hides() || which < places.columns) {
    badge(ui, {picture.x, picture.y - ui.px(20), wide, ui.px(16)}, number, chosen ? hue : fade(hue, 0.3f),
          chosen ? ink_on(hue) : hue);
    if (head == 0 && texts_in_picture(page) > 1) name_text(page, picture, text, wide);
  }
  if (places.foot > 0 && (!page.hides() || which + places.columns >= count))
    draw_key_names(page, picture, text);
  if (page.hides()) return;
  take_mouse_of_head(page, picture, text, head);
  const float opacity = gives_nothing(scene.result.document, head) ? 0.22f : 1;
  draw_matrix(scene, ("lesson head picture " + number + " of text " + std::to_string(text)).c_str(), picture,
              plane_of_head(page, head), text, head, scale, opacity);
  if (page.step.view == lessons::StepView::Grid) print_cells(page, picture, text, head, scale);
  const bool meant = page.pointed && page.pointed->kind == lessons::Anchor::Kind::Head &&
                     !page.pointed->places.empty() && page.pointed->places.front() == head;
  if (chosen || meant)
    ui.frame(picture.grown(ui.px(3)), meant ? ui.theme.text1 : ui.theme.query, ui.px(meant ? 3 : 2),
             ui.px(4));
}

}  // namespace

void draw_lesson_heads(LessonPage& page, const Box& area, const ColourScale& scale) {
  const std::int64_t texts = texts_in_picture(page);
  const std::int64_t count = texts * page.scene.result.dimensions.heads;
  const LessonHeads places = place_lesson_heads(page, area);
  if (places.side < page.ui().px(12)) return;
  for (std::int64_t which = 0; which < count; ++which) {
    const bool begins_text = texts > 1 && places.head_of(which) == 0;
    if (which % places.columns == 0 || begins_text) draw_lesson_head_labels(page, places, which);
    draw_one_of_heads(page, places, which, scale);
  }
  if (!page.hides()) return;
  // One lid over all of them.
  const Box first = places.picture(0), last = places.picture(count - 1);
  const Box right = places.picture(std::min(places.columns, count) - 1);
  draw_lesson_lid(page, {first.x, first.y, right.right() - first.x, last.bottom() - first.y},
                  page.ui().theme.border);
}

}  // namespace attnscope
