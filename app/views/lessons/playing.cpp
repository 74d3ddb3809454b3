#include "app/views/lessons/playing.hpp"

#include <algorithm>
#include <cmath>

#include "app/state/model_state.hpp"
#include "app/state/teaching/presenter_state.hpp"
#include "app/training/training_runs.hpp"
#include "app/views/lessons/page.hpp"
#include "app/views/lessons/parts/choice_order.hpp"
#include "core/attention/run_stage.hpp"
#include "core/base/error.hpp"
#include "core/engine/model/model_reading.hpp"

namespace attnscope {
namespace {

LessonState& lesson_state(Scene& scene) { return *scene.view.lesson; }

/// What the step looks at, once its numbers are there.
void look_as_step_says(Scene& scene, const lessons::Step& step, bool in_model) {
  const Dimensions& d = scene.result.dimensions;
  scene.next.sequence = 0;
  if (in_model) {
    const auto colour = std::ranges::find(lessons::grid_colours, step.colour);
    ModelState& model = *scene.view.model;
    model.colour = colour == lessons::grid_colours.end()
                       ? HeadColour::Pattern
                       : static_cast<HeadColour>(colour - lessons::grid_colours.begin());
    model.order = GridOrder::Layers;
    model.screen = ModelScreen::Heads;
    model.predicted_row.reset();
    lesson_state(scene).grid_due = true;
    model.locked = true;  // the head of the step stands large until another is clicked
    if (step.plot == lessons::Plot::Pruning) model.atlas.pruned = scene.document.within.read().input;
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
  scene.view.show_stage(stage.value_or(weights_stage(scene.result.document)));
  // In free play the vectors are what is looked at.
  if (const auto vectors = step.stage ? lessons::vectors_called(scene.result, *step.stage) : std::nullopt)
    scene.view.show_vectors(*vectors);
  scene.view.range = RangeMode::All;
}

void see_whether_done(Scene& scene, const lessons::Step& step) {
  LessonState& state = lesson_state(scene);
  if (!step.done || state.reached.contains(state.step)) return;
  try {
    if (step.done->holds(lesson_numbers(scene, step))) state.reached.insert(state.step);
  } catch (const Error&) {  // another Document may not have the place, a run not have come so far
  }
}

bool is_right(const lessons::Question& question, const StepAnswer& answer) {
  const auto* const choose = std::get_if<lessons::ChooseQuestion>(&question.kind);
  return choose != nullptr && answer.chosen >= 0 && answer.chosen < std::ssize(choose->choices) &&
         choose->choices[static_cast<std::size_t>(answer.chosen)].right;
}

}  // namespace

const lessons::OpenLesson* lesson_in(const Shown& shown) {
  return shown.lesson != nullptr ? shown.lesson->open.get() : nullptr;
}

const lessons::Step* lesson_step(const Scene& scene) {
  const lessons::OpenLesson* const open = lesson_in(scene);
  if (open == nullptr) return nullptr;
  const auto last = static_cast<std::int64_t>(open->lesson.steps.size()) - 1;
  return &open->lesson
              .steps[static_cast<std::size_t>(std::clamp<std::int64_t>(scene.view.lesson->step, 0, last))];
}

bool is_lesson_model_there(const Scene& scene) {
  const ModelContext& within = scene.document.within.read();
  return within && scene.model != nullptr && scene.model->run && scene.model->within == within &&
         scene.result.document == scene.document;
}

bool is_lesson_training(const Shown& shown) {
  const lessons::OpenLesson* const open = lesson_in(shown);
  return open != nullptr && open->lesson.of_training();
}

bool is_lesson_run_there(const Scene& scene) {
  return scene.training != nullptr && scene.training->has_stood() && scene.training->sight().run() != nullptr;
}

bool is_lesson_covered(const Scene& scene) {
  const lessons::Step* const step = lesson_step(scene);
  return scene.view.mode == Mode::Lessons && step != nullptr && step->question &&
         !scene.view.lesson->answer.revealed;
}

void open_lesson(Scene& scene, const std::string& name, std::int64_t step) {
  scene.requests.lesson = LessonRequest{name, step};
}

void go_to_lesson_step(Scene& scene, std::int64_t step) {
  const lessons::OpenLesson* const open = lesson_in(scene);
  if (open == nullptr) return;
  const auto last = static_cast<std::int64_t>(open->lesson.steps.size()) - 1;
  open_lesson(scene, open->name, std::clamp<std::int64_t>(step, 0, last));
}

void leave_lesson(Scene& scene) {
  lesson_state(scene).name.clear();
  lesson_state(scene).step = 0;
}

const lessons::LessonEntry* next_lesson(const Scene& scene) {
  const lessons::OpenLesson* const open = lesson_in(scene);
  if (open == nullptr || scene.lesson->entries == nullptr) return nullptr;
  const auto& entries = *scene.lesson->entries;
  auto next = std::ranges::find(entries, open->name, &lessons::LessonEntry::name);
  if (next != entries.end()) ++next;
  while (next != entries.end() && !next->problem.empty()) ++next;
  return next == entries.end() ? nullptr : &*next;
}

namespace {

/// The list is turned by the keys that go from step to step: nearly a window on, or back.
void turn_lesson_list(Scene& scene, float windows) {
  constexpr float share = 0.8f;  // of the window; the rest is seen again
  float& at = lesson_state(scene).list_scroll;
  at = std::max(0.f, at + windows * share * ImGui::GetIO().DisplaySize.y / scene.ui.scale());
}

}  // namespace

/// After the last step comes the next lesson. A room has a clicker, which is to leave no lesson.
void lesson_next(Scene& scene) {
  const lessons::OpenLesson* const open = lesson_in(scene);
  if (open == nullptr) return turn_lesson_list(scene, 1);
  if (lesson_state(scene).step + 1 < std::ssize(open->lesson.steps))
    return go_to_lesson_step(scene, lesson_state(scene).step + 1);
  if (scene.view.presenter->on) return;
  if (const lessons::LessonEntry* const next = next_lesson(scene)) open_lesson(scene, next->name, 0);
}
void lesson_back(Scene& scene) {
  if (lesson_in(scene) == nullptr) return turn_lesson_list(scene, -1);
  if (lesson_state(scene).step > 0) go_to_lesson_step(scene, lesson_state(scene).step - 1);
}
/// Of the whole lesson: what was answered is asked again.
void lesson_to_start(Scene& scene) {
  if (lesson_in(scene) == nullptr) return;
  LessonState& state = lesson_state(scene);
  go_to_lesson_step(scene, 0);
  state.answers.clear();
  state.answer = {};
  state.reached.clear();
  state.shuffle();
}

void lesson_reveal(Scene& scene) {
  if (!is_lesson_covered(scene)) return;
  lesson_state(scene).answer.revealed = true;
  lesson_state(scene).answer_due = frames_to_answer;
}

void lesson_notes(Scene& scene) { lesson_state(scene).notes = !lesson_state(scene).notes; }
void lesson_votes(Scene& scene) { lesson_state(scene).counts_votes = !lesson_state(scene).counts_votes; }

void lesson_digit(Scene& scene, std::int64_t digit) {
  const lessons::OpenLesson* const open = lesson_in(scene);
  const lessons::Step* const step = lesson_step(scene);
  if (step == nullptr || !is_lesson_covered(scene)) return;
  const auto at = static_cast<std::size_t>(digit - 1);
  StepAnswer& answer = lesson_state(scene).answer;
  const auto* const choose = std::get_if<lessons::ChooseQuestion>(&step->question->kind);
  if (choose == nullptr || at >= choose->choices.size()) return;
  const std::size_t choice = choice_order({open->name, lesson_state(scene).step, lesson_state(scene).order},
                                          choose->choices.size())[at];
  if (lesson_state(scene).counts_votes)
    ++answer.votes[choice];
  else
    answer.chosen = static_cast<std::int64_t>(choice);
}

void go_to_lesson_chapter(Scene& scene, std::size_t chapter) {
  const lessons::OpenLesson* const open = lesson_in(scene);
  if (open == nullptr) return;
  const auto first = std::ranges::find(open->lesson.steps, chapter, &lessons::Step::chapter);
  if (first != open->lesson.steps.end()) go_to_lesson_step(scene, first - open->lesson.steps.begin());
}

void lesson_free_play(Scene& scene) {
  const lessons::OpenLesson* const open = lesson_in(scene);
  const bool in_model = open != nullptr && open->lesson.of_model() && scene.model != nullptr;
  scene.view.mode = in_model ? Mode::Model : is_lesson_training(scene) ? Mode::Training : Mode::Explore;
}

void follow_lesson(Scene& scene) {
  const lessons::OpenLesson* const open = lesson_in(scene);
  const lessons::Step* const step = lesson_step(scene);
  if (step == nullptr) return;
  LessonState& state = lesson_state(scene);
  if (open->lesson.of_training()) return see_whether_done(scene, *step);
  if (scene.result.is_long()) return;
  const bool in_model = open->lesson.of_model();
  const bool is_there = in_model ? is_lesson_model_there(scene) : scene.result.document == scene.document;
  if (state.look_due && is_there) {
    look_as_step_says(scene, *step, in_model);
    state.look_due = false;
  }
  if (!step->done || !is_there || state.reached.contains(state.step)) return;
  // What the step begins with is not something that was done.
  const Document& begun = open->documents[static_cast<std::size_t>(state.step)].shown;
  if (in_model ? scene.document.within.read() == begun.within.read() : scene.document == begun) return;
  see_whether_done(scene, *step);
}

LessonScore lesson_score(const Scene& scene) {
  LessonScore score;
  const lessons::OpenLesson* const open = lesson_in(scene);
  if (open == nullptr) return score;
  const LessonState& state = *scene.view.lesson;
  for (std::int64_t i = 0; i < std::ssize(open->lesson.steps); ++i) {
    const auto& question = open->lesson.steps[static_cast<std::size_t>(i)].question;
    if (!question) continue;
    const bool chooses = std::holds_alternative<lessons::ChooseQuestion>(question->kind);
    const auto other = state.answers.find(i);
    const StepAnswer* const answer = i == state.step                ? &state.answer
                                     : other != state.answers.end() ? &other->second
                                                                    : nullptr;
    if (answer == nullptr || !answer->revealed || (chooses ? answer->chosen < 0 : !answer->near)) continue;
    ++score.asked;
    if (chooses ? is_right(*question, *answer) : *answer->near) ++score.right;
  }
  return score;
}

}  // namespace attnscope
