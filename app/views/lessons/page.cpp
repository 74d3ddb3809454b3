#include "app/views/lessons/page.hpp"

#include <algorithm>
#include <cmath>

#include "app/state/teaching/presenter_state.hpp"
#include "app/widgets/marks.hpp"
#include "core/base/error.hpp"

namespace attnscope {

lessons::LookUp lesson_numbers(const Scene& scene, const lessons::Step& step) {
  const std::int64_t head =
      std::clamp<std::int64_t>(step.head.value_or(0), 0, scene.result.dimensions.heads - 1);
  return lessons::look_up_in({scene.result, scene.held ? &scene.held->result->layer() : nullptr, head});
}

std::string lesson_number(const lessons::LookUp& numbers, const lessons::Expression& expression,
                          const lessons::NumberStyle& style) {
  try {
    return lessons::written(expression.evaluate(numbers), style);
  } catch (const Error&) {
    return "…";
  }
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

void draw_lesson_page(Scene& scene, const lessons::OpenLesson& open, const Box& box) {
  const Ui& ui = scene.ui;
  const lessons::Step& step = *lesson_step(scene);
  const bool presented = scene.view.presenter->on;
  LessonPage page{scene, open, step, lesson_numbers(scene, step), presented, is_lesson_covered(scene)};
  // A room reads the words and sees the matrices; code and steps are for who sits before it.
  const float low = presented ? 0 : ui.px(scene.compact ? 72 : 104);
  const float left = presented ? std::round(box.w * 0.38f) : ui.px(scene.compact ? 368 : 480);
  const float right = ui.px(scene.compact ? 280 : 368);
  const Box body{box.x, box.y, box.w, std::max(0.f, box.h - low)};
  const bool has_code = !presented && body.w - left - right > ui.px(400);
  const float code = has_code ? right : 0;
  draw_lesson_words(page, {body.x, body.y, std::min(left, body.w), body.h});
  const Box instrument{body.x + left, body.y, std::max(0.f, body.w - left - code), body.h};
  if (instrument.w > ui.px(120)) draw_lesson_instrument(page, instrument);
  if (has_code) draw_lesson_code(page, {instrument.right(), body.y, code, body.h});
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
      .is_lit = [this](const lessons::Anchor& anchor) { return is_anchor_pointed_at(scene, anchor); }};
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
  if (scene.view.hint.empty()) scene.view.hint = lesson_hint(scene);
  const lessons::OpenLesson* const open = lesson_in(scene);
  if (open == nullptr || scene.result.is_long()) return draw_lesson_list(scene, box);
  draw_lesson_page(scene, *open, box);
}

}  // namespace attnscope
