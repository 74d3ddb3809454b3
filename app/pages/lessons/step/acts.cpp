#include "app/pages/lessons/step/acts.hpp"

#include <algorithm>
#include <utility>

#include "app/pages/lessons/parts/choice_order.hpp"
#include "app/pages/lessons/step/moments.hpp"
#include "app/state/presenter_state.hpp"
#include "app/state/window_state.hpp"
#include "app/training/training_runs.hpp"
#include "app/views/presenter/presenter.hpp"
#include "core/engine/model/model_reading.hpp"

namespace attnscope {
namespace {

LessonState& lesson_state(Scene& scene) { return lesson_of(scene.view); }

/// Null: no answer was given.
const StepAnswer* answer_at(const LessonState& state, const lessons::CourseStop& stop) {
  if (state.name == stop.lesson && state.step == stop.step) return &state.answer;
  const auto given = state.course_answers.find({stop.lesson, stop.step});
  return given == state.course_answers.end() ? nullptr : &given->second;
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
              .steps[static_cast<std::size_t>(std::clamp<std::int64_t>(lesson_of(scene.view).step, 0, last))];
}

bool is_lesson_model_there(const Scene& scene) {
  const ModelContext& within = scene.document.within.read();
  return within && scene.model != nullptr && scene.model->run && scene.model->within == within &&
         scene.result.document == scene.document;
}

bool is_lesson_training(const Shown& shown) { return shown.lesson != nullptr && shown.lesson->trains(); }

bool is_lesson_run_there(const Scene& scene) {
  return scene.training != nullptr && scene.training->has_stood() &&
         scene.training->shown_lab().run() != nullptr;
}

bool is_lesson_covered(const Scene& scene) {
  const lessons::Step* const step = lesson_step(scene);
  return scene.view.mode == Mode::Lessons && step != nullptr && step->question &&
         !lesson_of(scene.view).answer.revealed;
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
  lesson_state(scene).keep_answer_of_course();
  lesson_state(scene).name.clear();
  lesson_state(scene).course.clear();
  lesson_state(scene).step = lesson_state(scene).stop = 0;
}

const lessons::Course* lesson_course(const Scene& scene) {
  const LessonState& state = lesson_of(scene.view);
  if (scene.lesson == nullptr || state.name.empty()) return nullptr;
  const lessons::Course* const course = scene.lesson->course(state.course);
  if (course == nullptr || state.stop >= std::ssize(course->stops)) return nullptr;
  return course_stop(scene, *course).lesson == state.name ? course : nullptr;
}

const lessons::CourseStop& course_stop(const Scene& scene, const lessons::Course& course) {
  return course.stops[static_cast<std::size_t>(lesson_of(scene.view).stop)];
}

void go_to_course(Scene& scene, const lessons::Course& course, std::optional<std::int64_t> stop, bool anew) {
  scene.requests.course = CourseRequest{course.name, stop, anew};
}

void present_lessons(Scene& scene) {
  if (!scene.view.presenter->on) toggle_presenter(scene);
}

void continue_course(Scene& scene) {
  if (scene.lesson == nullptr || lesson_in(scene) != nullptr || scene.lesson->courses == nullptr) return;
  for (const lessons::Course& course : *scene.lesson->courses)
    if (course.problem.empty()) return go_to_course(scene, course);
}

namespace {

/// Whether an answer counts in a score: it was given, and is revealed.
bool counts(const StepAnswer* answer, bool chooses) {
  return answer != nullptr && answer->revealed && (chooses ? answer->chosen >= 0 : answer->near.has_value());
}

}  // namespace

LessonScore chapter_score(const Scene& scene, const lessons::Course& course, std::size_t chapter) {
  LessonScore score;
  for (const lessons::CourseStop& stop : course.stops) {
    if (stop.chapter != chapter || !stop.asks) continue;
    const StepAnswer* const answer = answer_at(lesson_of(scene.view), stop);
    const bool chooses = !stop.right.empty();
    if (!counts(answer, chooses)) continue;
    ++score.asked;
    const auto chosen = static_cast<std::size_t>(std::max<std::int64_t>(answer->chosen, 0));
    if (chooses ? chosen < stop.right.size() && stop.right[chosen] : *answer->near) ++score.right;
  }
  return score;
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

/// In the list the keys that go from step to step scroll by nearly a window.
void turn_lesson_list(Scene& scene, float windows) {
  constexpr float share = 0.8f;  // of the window; the rest stays in sight
  float& at = moments_of(lesson_state(scene)).list_scroll;
  at = std::max(0.f, at + windows * share * ImGui::GetIO().DisplaySize.y / scene.ui.scale());
}

constexpr float line = 18;  // of a narrow room's words, in logical pixels

/// How far the words are turned: the last line stays in sight, unless there are but two.
float turned_by(const LessonMoments& moments) {
  const float lines = std::max(1.f, std::floor(moments.words_room / line));
  return (lines > 2 ? lines - 1 : lines) * line;
}

/// In a narrow room the words that had no room come before the next step.
bool turns_words(LessonState& state) {
  LessonMoments& moments = moments_of(state);
  if (moments.words_left < 1) return false;
  moments.scroll += std::min(moments.words_left, turned_by(moments));
  return true;
}
/// And so do the words that were turned away before the step before.
bool turns_words_back(LessonState& state) {
  LessonMoments& moments = moments_of(state);
  if (moments.words_above < 1) return false;
  moments.scroll = std::max(0.f, moments.scroll - turned_by(moments));
  return true;
}

}  // namespace

/// After the last step comes the next lesson; not in presenter mode, where a clicker must not leave the
/// lesson.
void lesson_next(Scene& scene) {
  const lessons::OpenLesson* const open = lesson_in(scene);
  if (open == nullptr) return turn_lesson_list(scene, 1);
  if (turns_words(lesson_state(scene))) return;
  if (const lessons::Course* const course = lesson_course(scene)) {
    const std::int64_t next = lesson_state(scene).stop + 1;
    if (next < std::ssize(course->stops) || !scene.view.presenter->on) go_to_course(scene, *course, next);
    return;
  }
  if (lesson_state(scene).step + 1 < std::ssize(open->lesson.steps))
    return go_to_lesson_step(scene, lesson_state(scene).step + 1);
  if (scene.view.presenter->on) return;
  if (const lessons::LessonEntry* const next = next_lesson(scene)) open_lesson(scene, next->name, 0);
}
void lesson_back(Scene& scene) {
  if (lesson_in(scene) == nullptr) return turn_lesson_list(scene, -1);
  if (turns_words_back(lesson_state(scene))) return;
  if (const lessons::Course* const course = lesson_course(scene)) {
    const LessonState& state = lesson_of(scene.view);
    const lessons::CourseStop& stop = course_stop(scene, *course);
    // From a step beside the thread back to the stop; a page's stop stands at the step before it.
    const std::int64_t steps = stop.step != state.step ? 0 : stop.page.empty() ? 1 : 2;
    if (steps <= state.stop) go_to_course(scene, *course, state.stop - steps);
    return;
  }
  if (lesson_state(scene).step > 0) go_to_lesson_step(scene, lesson_state(scene).step - 1);
}
/// Begins the whole lesson again: everything is asked again.
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
  moments_of(lesson_state(scene)).turned_to.reset();  // the picture that R reveals comes
  lesson_state(scene).answer_due = frames_to_answer;
}

void lesson_notes(Scene& scene) { lesson_state(scene).notes = !lesson_state(scene).notes; }
void lesson_votes(Scene& scene) { lesson_state(scene).counts_votes = !lesson_state(scene).counts_votes; }
void lesson_other_picture(Scene& scene) {
  LessonMoments& moments = moments_of(lesson_state(scene));
  if (moments.pictures > 1) moments.turned_to = (moments.shown + 1) % moments.pictures;
}

void lesson_votes_again(Scene& scene) {
  StepAnswer& answer = lesson_state(scene).answer;
  const bool voted = std::ranges::any_of(answer.votes, [](std::int64_t votes) { return votes > 0; });
  if (!is_lesson_covered(scene) || !voted || answer.votes_before) return;
  answer.votes_before = std::exchange(answer.votes, {});
  lesson_state(scene).counts_votes = true;
}

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

LessonScore lesson_score(const Scene& scene) {
  LessonScore score;
  const lessons::OpenLesson* const open = lesson_in(scene);
  if (open == nullptr) return score;
  const LessonState& state = lesson_of(scene.view);
  for (std::int64_t i = 0; i < std::ssize(open->lesson.steps); ++i) {
    const auto& question = open->lesson.steps[static_cast<std::size_t>(i)].question;
    if (!question) continue;
    const bool chooses = std::holds_alternative<lessons::ChooseQuestion>(question->kind);
    const auto other = state.answers.find(i);
    const StepAnswer* const answer = i == state.step                ? &state.answer
                                     : other != state.answers.end() ? &other->second
                                                                    : nullptr;
    if (!counts(answer, chooses)) continue;
    ++score.asked;
    if (chooses ? is_right(*question, *answer) : *answer->near) ++score.right;
  }
  return score;
}

}  // namespace attnscope
