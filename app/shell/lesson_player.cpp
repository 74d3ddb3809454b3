#include "app/shell/lesson_player.hpp"

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>

#include <imgui.h>

#include "app/kit/ui/theme.hpp"
#include "app/scene/page_facts.hpp"
#include "app/state/presenter_state.hpp"
#include "app/state/teaching/lesson_state.hpp"
#include "app/state/window_state.hpp"
#include "app/views/presenter/speaker_page.hpp"

namespace attnscope {

LessonPlayer::LessonPlayer(Workspace& space, Held& held, Arriving& arriving, ModelArriving& model_arriving,
                           LessonTraining& training)
    : space_(space),
      held_(held),
      arriving_(arriving),
      model_arriving_(model_arriving),
      training_(training),
      models_(space.assets) {
  space_.lessons.show_model(models_.shown_model());
}

/// Makes the Document that a step holds B, or releases B if it holds none.
void LessonPlayer::hold_of_step(const std::optional<Document>& held) {
  held_step_ = {lesson_of(space_.view).name, lesson_of(space_.view).step};
  undone_to_ = {};
  if (!held) return held_.release();
  if (held_.document() && *held_.document() == *held) return;
  space_.history.leave_held();
  held_.expect_layer(*held);
}

/// `begins`: what was open before is kept as closed. A step in the model on screen is an edit of its context;
/// a step in another model is shown once that has run.
void LessonPlayer::show_step_document(const Document& wanted, bool begins) {
  const ModelContext& within = wanted.within.read();
  if (within.is_unopened()) {
    lesson_of(space_.view).model_due = true;
    return;
  }
  lesson_of(space_.view).model_due = false;
  model_arriving_.forget();
  if (within && within.model != space_.document.within.read().model) {
    ModelArrival arrival{.session = {}, .path = within.path, .from = CameFrom::File, .of_lesson = true};
    arrival.session.document = wanted;
    model_arriving_.begin(std::move(arrival));
    return;
  }
  if (begins)
    arriving_.take({.document = within ? space_.document : wanted,
                    .looks = {},
                    .held = {},
                    .damage = {},
                    .note = {},
                    .layers = {}},
                   {});
  if (within)
    space_.document.within.change() = within;
  else
    space_.document = wanted;
  if (within) space_.document = space_.models.with_shown_block(std::move(space_.document));
  space_.original = space_.document;
}

void LessonPlayer::go_to(const LessonRequest& wanted) {
  leave_course_at(wanted);
  if (show(wanted)) space_.lessons.reach(lesson_of(space_.view).name, lesson_of(space_.view).step);
}

/// A step on the course's thread is a stop of it. Another lesson leaves the course; other steps of the lesson
/// on screen do not.
void LessonPlayer::leave_course_at(const LessonRequest& wanted) {
  LessonState& state = lesson_of(space_.view);
  const lessons::Course* const course = space_.lessons.shown_lessons().course(state.course);
  if (course == nullptr) return state.course.clear();
  if (const auto stop = course->stop_of(wanted.name, wanted.step))
    state.stop = static_cast<std::int64_t>(*stop);
  else if (wanted.name != state.name)
    state.course.clear();
}

void LessonPlayer::go_to_stop(const CourseRequest& wanted) {
  const Mode page = Mode::Lessons;
  LessonState& state = lesson_of(space_.view);
  state.keep_answer_of_course();
  space_.lessons.follow(state.name, space_.view.language);
  const lessons::ShownLessons& shown = space_.lessons.shown_lessons();
  const lessons::Course* const course = shown.course(wanted.name);
  if (course == nullptr) {
    const auto found = std::ranges::find(*shown.courses, wanted.name, &lessons::Course::name);
    return space_.view.notices.say(found != shown.courses->end()
                                       ? found->problem
                                       : "There is no such course in assets/courses, beside the program.");
  }
  const std::string progress = lessons::progress_name(*course);
  if (wanted.anew) {
    space_.lessons.reach(progress, 0, true);
    state.course_answers.clear();
    state.answer = {};
  }
  const std::int64_t count = std::ssize(course->stops);
  std::int64_t stop = std::clamp<std::int64_t>(wanted.stop.value_or(shown.reached_in(*course)), 0, count);
  if (stop == count) {
    space_.lessons.reach(progress, count);
    state.name.clear();
    state.course.clear();
    state.step = state.stop = 0;
    state.answer = {};
    space_.view.mode = page;
    return;
  }
  const lessons::CourseStop* at = &course->stops[static_cast<std::size_t>(stop)];
  const bool stands_there = space_.view.mode == page && state.name == at->lesson && state.step == at->step;
  if (!at->page.empty() && stands_there) {  // the page shows what the step shows
    state.stop = stop;
    space_.lessons.reach(progress, stop);
    space_.view.mode = mode_named(at->page).value_or(page);
    return;
  }
  if (!at->page.empty()) at = &course->stops[static_cast<std::size_t>(--stop)];
  if (!show({at->lesson, at->step})) return;
  state.course = course->name;
  state.stop = stop;
  if (const auto given = state.course_answers.find({at->lesson, at->step});
      given != state.course_answers.end() && state.answer == StepAnswer{})
    state.answer = given->second;
  space_.lessons.reach(at->lesson, at->step);
  space_.lessons.reach(progress, stop);
}

void LessonPlayer::go_to_course(const std::filesystem::path& file) {
  std::error_code unknown;
  const bool is_own =
      std::filesystem::equivalent(file.parent_path(), space_.assets / "courses", unknown) && !unknown;
  const std::string stem = file.stem().native();
  go_to_stop({is_own ? stem.substr(0, stem.find('.')) : file.native()});
}

/// A lesson begins like a file that is opened: what was open before is kept as closed. Its further steps are
/// edits, which undo takes back. False: it cannot be read.
bool LessonPlayer::show(const LessonRequest& wanted) {
  LessonState& state = lesson_of(space_.view);
  state.keep_answer_of_course();
  space_.lessons.follow(wanted.name, space_.view.language);
  if (!space_.lessons.shown_lessons().open) {
    space_.view.notices.say(space_.lessons.shown_lessons().problem);
    if (!state.name.empty()) space_.lessons.follow(state.name, space_.view.language);
    return false;
  }
  const bool begins = state.name != wanted.name;
  if (begins) {
    LessonState begun;
    begun.name = wanted.name;
    begun.notes = state.notes;
    begun.pytorch = state.pytorch;
    begun.next_order = state.next_order;
    begun.course = state.course;
    begun.stop = state.stop;
    begun.course_answers = std::move(state.course_answers);
    begun.shuffle();
    state = std::move(begun);
  } else {
    if (state.answer != StepAnswer{}) state.answers[state.step] = state.answer;
    state.answer = {};
  }
  want_model();
  const lessons::OpenLessonPtr open = space_.lessons.shown_lessons().open;
  if (!open) {
    space_.view.notices.say(space_.lessons.shown_lessons().problem);
    return false;
  }
  const std::int64_t step =
      std::clamp<std::int64_t>(wanted.step, 0, static_cast<std::int64_t>(open->documents.size()) - 1);
  const lessons::StepDocuments& documents = open->documents[static_cast<std::size_t>(step)];
  if (const auto answered = state.answers.find(step); answered != state.answers.end())
    state.answer = answered->second;
  state.step = step;
  space_.view.mode = Mode::Lessons;
  if (arriving_.arrival())
    arriving_.arrival()->looks.reset();  // the view of a file opened just before is not restored
  state.left.reset();
  if (open->lesson.of_training()) {
    stand_at_step();
  } else {
    show_step_document(documents.shown, begins);
    hold_of_step(documents.held);
  }
  state.look_due = state.question_due = state.type_due = true;
  state.on_page.reset();
  state.answer_due = 0;
  return true;
}

/// Looks for the open lesson's model, once, and gives it to the lesson if it was found.
void LessonPlayer::want_model() {
  const lessons::OpenLessonPtr& open = space_.lessons.shown_lessons().open;
  models_.want(open ? open->lesson.model : std::string(), open ? open->path : std::filesystem::path(),
               space_.document.within.read().model);
  if (open && models_.shown_model().model) space_.lessons.give_model(models_.shown_model().model);
}

/// If the model has come since the last frame, shows the step that waits for it.
void LessonPlayer::follow() {
  models_.poll();
  const bool had = space_.lessons.shown_lessons().open != nullptr;
  want_model();
  const lessons::OpenLessonPtr& open = space_.lessons.shown_lessons().open;
  if (!open) {
    if (had) space_.view.notices.say(space_.lessons.shown_lessons().problem);
    return;
  }
  LessonState& state = lesson_of(space_.view);
  if (!state.model_due || model_step(space_) == nullptr || !space_.lessons.has_model() || state.left) return;
  const auto step = std::clamp<std::int64_t>(state.step, 0, std::ssize(open->documents) - 1);
  show_step_document(open->documents[static_cast<std::size_t>(step)].shown, true);
  state.look_due = true;
}

/// Trains what the step describes.
void LessonPlayer::stand_at_step() {
  if (training_step(space_) == nullptr) return;
  held_step_ = {lesson_of(space_.view).name, lesson_of(space_.view).step};
  training_.stand_at_step();
}

/// Shows a training step as it was left, or from its beginning.
void LessonPlayer::show_trained_step_again() {
  lesson_of(space_.view).left.reset();
  if (!training_.put_back_left()) stand_at_step();
}

/// Shows the step as it was left. If a file was opened meanwhile, that is closed as usual.
void LessonPlayer::show_step_again() {
  LessonState& state = lesson_of(space_.view);
  if (training_step(space_) != nullptr) return show_trained_step_again();
  Document left = *std::exchange(state.left, std::nullopt);
  if (!space_.file.path().empty()) {
    arriving_.take(
        {.document = std::move(left), .looks = {}, .held = {}, .damage = {}, .note = {}, .layers = {}}, {});
  } else {
    space_.document = std::move(left);
  }
  const lessons::OpenLessonPtr open = space_.lessons.shown_lessons().open;
  if (!open) return;
  const auto step = static_cast<std::size_t>(
      std::clamp<std::int64_t>(state.step, 0, static_cast<std::int64_t>(open->documents.size()) - 1));
  space_.original = open->documents[step].shown;
  hold_of_step(open->documents[step].held);
  state.look_due = true;
}

/// The lesson's text would seem to be about the new Document.
void LessonPlayer::leave_page() {
  LessonState& state = lesson_of(space_.view);
  if (space_.view.mode == Mode::Lessons && !state.name.empty() && !state.left) {
    state.left = space_.document;
    training_.leave_step();
  }
  if (space_.view.mode == Mode::Model || is_page(space_.view.mode)) space_.view.mode = Mode::Explore;
}

void LessonPlayer::watch(Mode before, bool by_history) {
  LessonState& state = lesson_of(space_.view);
  training_.give_back();
  time_course();
  if (state.name.empty()) {
    state.left.reset();
    return;
  }
  const bool was = before == Mode::Lessons, is = space_.view.mode == Mode::Lessons;
  if (by_history) state.look_due = false;
  if (by_history && is) {
    state.left.reset();
    undone_to_ = {state.name, state.step};
  }
  // A model that a step still waits for would replace what undo has brought back.
  if (by_history && space_.history.can_redo()) {
    state.model_due = false;
    if (model_arriving_.arrival() && model_arriving_.arrival()->of_lesson) model_arriving_.forget();
  }
  if (was && !is && !state.left && !by_history) {
    state.left = space_.document;
    training_.leave_step();
  }
  if (!was && is && state.left) show_step_again();
  const lessons::OpenLessonPtr open = space_.lessons.shown_lessons().open;
  if (!is || !open || open->name != state.name || std::pair(open->name, state.step) == held_step_) return;
  if (open->lesson.of_training()) return stand_at_step();
  if (std::pair(open->name, state.step) == undone_to_) {
    held_step_ = undone_to_;
    return;
  }
  if (state.step < std::ssize(open->documents))
    hold_of_step(open->documents[static_cast<std::size_t>(state.step)].held);
}

/// Notes when and at which stop presenting a course began, for the speaker's time left.
void LessonPlayer::time_course() {
  const LessonState& state = lesson_of(space_.view);
  const auto began = space_.view.presenter->began;
  const bool presents = std::exchange(presented_since_, began) != began;
  const bool enters = timed_course_ != state.course;
  if (!presents && !enters) return;
  timed_course_ = state.course;
  course_since_ = presents ? began : std::chrono::steady_clock::now();
  course_from_ = state.stop;
}

bool LessonPlayer::is_presented() const {
  const LessonState& state = lesson_of(space_.view);
  const bool plays_in_course = state.left && !state.course.empty();  // the course stops at another page
  return space_.view.presenter->on && (space_.view.mode == Mode::Lessons || plays_in_course) &&
         space_.lessons.shown_lessons().open != nullptr;
}

void LessonPlayer::wait_for_model() const {
  if (models_.is_busy()) models_.wait();
}

void LessonPlayer::draw_speaker_notes(const Fonts& fonts, TextureCache& textures, float scale) const {
  const lessons::OpenLessonPtr open = space_.lessons.shown_lessons().open;
  if (!open) return;
  const Ui ui(theme(space_.view.theme), fonts, textures, scale, {.words = &space_.words});
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize(size);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
  ImGui::Begin("Speaker notes", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings);
  const auto seconds_since = [](std::chrono::steady_clock::time_point then) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - then).count();
  };
  const LessonState& state = lesson_of(space_.view);
  const lessons::Course* const course = space_.lessons.shown_lessons().course(state.course);
  const bool on_thread = course != nullptr && state.stop < std::ssize(course->stops);
  draw_speaker_page(ui, {0, 0, size.x, size.y},
                    {.lesson = open->lesson,
                     .state = state,
                     .course = on_thread ? course : nullptr,
                     .from = course_from_,
                     .course_seconds = seconds_since(course_since_),
                     .seconds = seconds_since(space_.view.presenter->began)});
  ImGui::End();
  ImGui::PopStyleVar(2);
  textures.end_frame();
}

}  // namespace attnscope
