#include "app/pages/lessons/lesson_page.hpp"

#include <algorithm>
#include <cmath>

#include "app/pages/lessons/step/telling.hpp"
#include "app/state/model_look.hpp"
#include "app/state/presenter_state.hpp"
#include "app/state/regions/stage_look.hpp"
#include "app/state/window_state.hpp"
#include "core/attention/run_stage.hpp"
#include "core/base/error.hpp"
#include "core/engine/model/model_reading.hpp"

namespace attnscope {
namespace {

/// The height of the code below the words: as much as it needs if they leave it free, at least its title.
float height_of_code_below(const LessonPage& page, const Box& body) {
  const Ui& ui = page.ui();
  const float usual = std::round(body.h * 0.42f), words = ui.px(page.moments().words_height);
  if (words <= 0) return usual;
  const float left = body.h - words, wanted = std::ceil(ui.px(page.moments().code_height));
  return std::clamp(left, std::min(usual, ui.px(46)), std::max(usual, std::min(wanted, left)));
}

/// Whether the cells of two matrices side by side would be too small for their numbers in that width.
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

/// Draws the step's picture alone; collects the rest in words.
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
  page.narrow = presented && box.w < ui.px(narrow_room);
  page.moments().pictures = 1;
  if (page.state().told) return draw_told_step(page, box);
  page.state().spoken = page.state().notes ? lessons::notes_said(step, page.numbers) : std::string();
  // Presenter mode shows words and matrices alone; code and the line of steps are for a user at the screen.
  const float low = presented ? 0 : ui.px(scene.compact ? 72 : 104);
  const float left = page.narrow ? std::round(box.w * share_of_words(page, box.w))
                     : presented ? std::round(box.w * 0.38f)
                                 : ui.px(scene.compact ? 368 : 480);
  const float right = ui.px(scene.compact ? 280 : 368);
  const Box body{box.x, box.y, box.w, std::max(0.f, box.h - low)};
  const bool has_words = !step.numpy.empty() || !step.pytorch.empty() ||
                         (page.state().notes && !step.notes.empty());  // whether there is a column of code
  const bool needs_code = !open.lesson.of_training() || has_words;
  const bool has_code = !presented && needs_code && body.w - left - right > ui.px(400);
  // Two matrices of many tokens side by side need the code's column; the code then goes below the words.
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
  if (const lessons::Course* const course = lesson_course(scene))
    return "Lessons   ·   " + own(course->title) + "   ·   chapter " +
           std::to_string(course_stop(scene, *course).chapter + 1) + " of " +
           std::to_string(course->chapters.size());
  return "Lessons   ·   " + std::to_string(open->lesson.number) + "   ·   " + own(open->lesson.title);
}

/// Shows what the step names, once its numbers are computed.
void look_as_step_says(Scene& scene, const lessons::Step& step, bool in_model) {
  const Dimensions& d = scene.result.dimensions;
  scene.next.sequence = 0;
  if (in_model) {
    const auto colour = std::ranges::find(lessons::grid_colours, step.colour);
    ModelLook& model = model_look_of(scene.view);
    model.colour = colour == lessons::grid_colours.end()
                       ? HeadColour::Pattern
                       : static_cast<HeadColour>(colour - lessons::grid_colours.begin());
    model.order = GridOrder::Layers;
    model.screen = ModelScreen::Heads;
    model.predicted_row.reset();
    moments_of(lesson_of(scene.view)).grid_due = true;
    model.locked = true;  // the step's head is shown large until another one is clicked
    if (step.plot == lessons::Plot::Pruning) model.pruned = scene.document.within.read().input;
  }
  scene.next.head = std::clamp<std::int64_t>(step.head.value_or(0), 0, d.heads - 1);
  if (step.query) {
    scene.next.cell = {std::min(*step.query, d.queries - 1), std::min(*step.key, d.keys - 1)};
    scene.next.locked = true;
  } else {
    scene.next.locked = false;
  }
  const std::optional<Stage> stage =
      step.stage ? lessons::plane_called(scene.result, *step.stage) : std::nullopt;
  show_stage(scene.view, stage.value_or(weights_stage(scene.result.document)));
  // If the step is about vectors, free play shows them.
  if (const auto vectors = step.stage ? lessons::vectors_called(scene.result, *step.stage) : std::nullopt)
    show_vectors(scene.view, *vectors);
  stage_look_of(scene.view).range = RangeMode::All;
}

void see_whether_done(Scene& scene, const lessons::Step& step) {
  LessonState& state = lesson_of(scene.view);
  if (!step.done || state.reached.contains(state.step)) return;
  try {
    if (step.done->holds(lesson_numbers(scene, step))) state.reached.insert(state.step);
  } catch (const Error&) {  // another Document may lack the place; a run may not have come so far
  }
}

/// Chooses the cell, head and stage of a step as soon as it is computed, and sees whether its condition
/// holds.
void follow_lesson(Scene& scene) {
  const lessons::OpenLesson* const open = lesson_in(scene);
  const lessons::Step* const step = lesson_step(scene);
  if (step == nullptr) return;
  LessonState& state = lesson_of(scene.view);
  if (open->lesson.of_training()) return see_whether_done(scene, *step);
  if (scene.result.is_long()) return;
  const bool in_model = open->lesson.of_model();
  const bool is_there = in_model ? is_lesson_model_there(scene) : scene.result.document == scene.document;
  if (state.look_due && is_there) {
    look_as_step_says(scene, *step, in_model);
    state.look_due = false;
  }
  if (!step->done || !is_there || state.reached.contains(state.step)) return;
  // The Document that the step begins with does not fulfil its task.
  const Document& begun = open->documents[static_cast<std::size_t>(state.step)].shown;
  if (in_model ? scene.document.within.read() == begun.within.read() : scene.document == begun) return;
  see_whether_done(scene, *step);
}

}  // namespace

void draw_lessons(Scene& scene, const Box& box) {
  const Ui& ui = scene.ui;
  ui.fill(box, ui.theme.panel);
  follow_lesson(scene);
  lesson_of(scene.view).answer_due = std::max(0, lesson_of(scene.view).answer_due - 1);
  if (scene.view.hint.empty()) scene.view.hint = lesson_hint(scene);
  const lessons::OpenLesson* const open = lesson_in(scene);
  const bool needs_layer = open != nullptr && !open->lesson.of_model() && !open->lesson.of_training();
  if (open == nullptr || (needs_layer && scene.result.is_long())) return draw_lesson_list(scene, box);
  draw_lesson_page(scene, *open, box);
}

}  // namespace attnscope
