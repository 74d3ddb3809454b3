#include "app/views/lessons/page.hpp"

#include <algorithm>
#include <cmath>

#include "app/kit/widgets/marks.hpp"
#include "app/lessons/model_numbers.hpp"
#include "app/lessons/training_numbers.hpp"
#include "app/state/teaching/presenter_state.hpp"
#include "app/training/training_runs.hpp"
#include "app/views/lessons/telling.hpp"
#include "core/base/error.hpp"

namespace attnscope {

lessons::LookUp lesson_numbers(const Scene& scene, const lessons::Step& step) {
  if (is_lesson_training(scene)) {
    if (scene.training != nullptr && scene.training->is_placed())
      return lessons::look_up_in_training(scene.training->sight());
    return [](std::string_view, std::span<const double>) -> double {
      throw Error("The run of this step is not there yet.");
    };
  }
  const std::int64_t head =
      std::clamp<std::int64_t>(step.head.value_or(0), 0, scene.result.dimensions.heads - 1);
  const lessons::LookUp layer =
      lessons::look_up_in({scene.result, scene.held ? &scene.held->result->layer() : nullptr, head});
  const lessons::OpenLesson* const open = lesson_in(scene);
  if (open == nullptr || !open->lesson.of_model()) return layer;
  if (is_lesson_model_there(scene)) return lessons::look_up_in_model(*scene.model, layer);
  return [](std::string_view, std::span<const double>) -> double {
    throw Error("The model of this lesson is not there yet.");
  };
}

std::string lesson_number(const lessons::LookUp& numbers, const lessons::Expression& expression,
                          const lessons::NumberStyle& style) {
  try {
    return lessons::written(expression.evaluate(numbers), style);
  } catch (const Error&) {
    return "…";
  }
}

std::string lesson_notes_said(const lessons::Step& step, const lessons::LookUp& numbers) {
  std::string said;
  for (const lessons::Prose& line : step.notes_prose) {
    for (const lessons::Piece& piece : line)
      said += piece.number ? lesson_number(numbers, *piece.number, piece.style) : piece.text;
    said += '\n';
  }
  return said;
}

namespace {

Rgba hue_of_anchor(const Ui& ui, const lessons::Anchor& anchor) {
  using Kind = lessons::Anchor::Kind;
  switch (anchor.kind) {
    case Kind::Query: return ui.theme.query;
    case Kind::Key: return ui.theme.key;
    case Kind::Value: return ui.theme.value;
    case Kind::SideB: return ui.theme.b;
    case Kind::Cell:
    case Kind::Head:
    case Kind::Stage:
    case Kind::Control:
    case Kind::SideA: break;
  }
  return ui.theme.text1;
}

/// Whether the object is under the mouse in a matrix.
bool is_anchor_pointed_at(const Scene& scene, const lessons::Anchor& anchor) {
  const std::optional<Cell>& cell = scene.selection.hovered_cell;
  if (!cell) return false;
  using Kind = lessons::Anchor::Kind;
  const auto place = [&](std::size_t i) { return i < anchor.places.size() ? anchor.places[i] : -1; };
  switch (anchor.kind) {
    case Kind::Query: return place(0) == cell->query;
    case Kind::Key:
    case Kind::Value: return place(0) == cell->key;
    case Kind::Cell: return place(0) == cell->query && place(1) == cell->key;
    default: return false;
  }
}

/// How high the code below the words is: down to its title where they need the room, and as high as it needs
/// where they leave it free.
float height_of_code_below(const LessonPage& page, const Box& body) {
  const Ui& ui = page.ui();
  const float usual = std::round(body.h * 0.42f), words = ui.px(page.state().words_height);
  if (words <= 0) return usual;
  const float left = body.h - words, wanted = std::ceil(ui.px(page.state().code_height));
  return std::clamp(left, std::min(usual, ui.px(46)), std::max(usual, std::min(wanted, left)));
}

/// Whether cells of two matrices beside each other would be too small for their numbers in so much room.
bool are_cells_small(const LessonPage& page, float width) {
  const Ui& ui = page.ui();
  if (page.lesson().of_training()) return true;  // curves and heads need the room
  if (page.scene.held == nullptr || lesson_vectors(page, page.scene.result)) return false;
  const std::int64_t keys =
      std::max(page.scene.result.dimensions.keys, page.scene.held->result->layer().dimensions.keys);
  const float labels = ui.px(80), pads = ui.px(page.scene.compact ? 44 : 68);
  return ((width - pads) / 2 - labels) / static_cast<float>(keys) < ui.px(28);
}

void draw_lesson_picture(LessonPage& page, const Box& box) {
  if (page.lesson().of_training()) return draw_lesson_training(page, box);
  page.lesson().of_model() ? draw_lesson_model(page, box) : draw_lesson_instrument(page, box);
}

/// Its picture alone; the rest in words.
void draw_told_step(LessonPage& page, const Box& box) {
  tell_lesson_step(page, *page.state().told);
  tell_lesson_sides(page, *page.state().told);
  draw_lesson_picture(page, box);
}

void draw_lesson_page(Scene& scene, const lessons::OpenLesson& open, const Box& box) {
  const Ui& ui = scene.ui;
  const lessons::Step& step = *lesson_step(scene);
  const bool presented = scene.view.presenter->on;
  LessonPage page{scene, open, step, lesson_numbers(scene, step), presented, is_lesson_covered(scene)};
  if (page.state().told) return draw_told_step(page, box);
  page.state().spoken = page.state().notes ? lesson_notes_said(step, page.numbers) : std::string();
  // A room reads the words and sees the matrices; code and steps are for the person who sits before it.
  const float low = presented ? 0 : ui.px(scene.compact ? 72 : 104);
  const float left = presented ? std::round(box.w * 0.38f) : ui.px(scene.compact ? 368 : 480);
  const float right = ui.px(scene.compact ? 280 : 368);
  const Box body{box.x, box.y, box.w, std::max(0.f, box.h - low)};
  const bool has_words = !step.numpy.empty() || !step.pytorch.empty() ||
                         (page.state().notes && !step.notes.empty());  // for the column of code
  const bool needs_code = !open.lesson.of_training() || has_words;
  const bool has_code = !presented && needs_code && body.w - left - right > ui.px(400);
  // Where two matrices of many tokens stand beside each other the code gives way to them, below the words.
  const bool below = has_code && are_cells_small(page, body.w - left - right);
  const float code = has_code && !below ? right : 0;
  Box words{body.x, body.y, std::min(left, body.w), body.h};
  if (below) {
    const float high = height_of_code_below(page, body);
    words.h -= high;
    draw_lesson_code(page, {words.x, words.bottom(), words.w, high});
    ui.horizontal(words.x, words.bottom(), words.w, ui.theme.hairline);
  }
  draw_lesson_words(page, words);
  const Box instrument{body.x + left, body.y, std::max(0.f, body.w - left - code), body.h};
  if (instrument.w > ui.px(120)) draw_lesson_picture(page, instrument);
  if (has_code && !below) draw_lesson_code(page, {instrument.right(), body.y, code, body.h});
  if (low > 0) draw_lesson_scrubber(page, {box.x, body.bottom(), box.w, low});
}

/// "Lessons · 4 · Why divide by √dₖ"
std::string lesson_hint(const Scene& scene) {
  const lessons::OpenLesson* const open = lesson_in(scene);
  if (open == nullptr) return "Lessons";
  return "Lessons   ·   " + std::to_string(open->lesson.number) + "   ·   " + own(open->lesson.title);
}

}  // namespace

ProseSight LessonPage::sight() const {
  return {
      .number =
          [this](const lessons::Piece& piece) { return lesson_number(numbers, *piece.number, piece.style); },
      .hue = [this](const lessons::Anchor& anchor) { return hue_of_anchor(scene.ui, anchor); },
      .is_lit = [this](const lessons::Anchor& anchor) { return is_anchor_pointed_at(scene, anchor); },
      .is_english = open.is_english};
}

float LessonPage::keycap(float x, float y, std::string_view key) const {
  return draw_keycap(ui(), x, y, key);
}

std::int64_t lesson_row(const LessonPage& page) {
  const std::int64_t rows = page.scene.result.dimensions.queries;
  const std::int64_t row = page.covered && page.step.query ? *page.step.query : page.scene.cell().query;
  return std::clamp<std::int64_t>(row, 0, rows - 1);
}

void draw_lessons(Scene& scene, const Box& box) {
  const Ui& ui = scene.ui;
  ui.fill(box, ui.theme.panel);
  follow_lesson(scene);
  scene.view.lesson->answer_due = std::max(0, scene.view.lesson->answer_due - 1);
  if (scene.view.hint.empty()) scene.view.hint = lesson_hint(scene);
  const lessons::OpenLesson* const open = lesson_in(scene);
  const bool needs_layer = open != nullptr && !open->lesson.of_model() && !open->lesson.of_training();
  if (open == nullptr || (needs_layer && scene.result.is_long())) return draw_lesson_list(scene, box);
  draw_lesson_page(scene, *open, box);
}

}  // namespace attnscope
