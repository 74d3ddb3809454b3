// app/shell: steps of lessons on their way to the screen, free play and the way back.
#include <algorithm>
#include <chrono>
#include <utility>

#include "app/shell/app.hpp"
#include "app/state/files_state.hpp"
#include "app/state/teaching/lesson_state.hpp"
#include "app/state/teaching/presenter_state.hpp"
#include "app/views/lessons/playing.hpp"

namespace attnscope {

/// What a step holds becomes B; nothing is held where it holds nothing.
void App::hold_of_step(const std::optional<Document>& held) {
  held_step_ = {view_.lesson->name, view_.lesson->step};
  undone_to_ = {};
  if (!held) return release_held();
  if (comparison_.document() && *comparison_.document() == *held) return;
  history_.leave_held();
  comparison_.expect(*held, engine_, 0);
}

/// The step that is on screen where its lesson plays with a model; null else.
const lessons::Step* App::model_step() const {
  const lessons::OpenLessonPtr& open = lessons_.sight().open;
  if (view_.mode != Mode::Lessons || !open || !open->lesson.of_model() || open->name != view_.lesson->name)
    return nullptr;
  const auto last = std::ssize(open->lesson.steps) - 1;
  return &open->lesson.steps[static_cast<std::size_t>(std::clamp<std::int64_t>(view_.lesson->step, 0, last))];
}

/// `begins`: what was open before is kept as closed. A step in a model that is on screen already is an edit
/// of what is said of it; into another one the step comes when it has run.
void App::show_step_document(const Document& wanted, bool begins) {
  const ModelContext& within = wanted.within.read();
  if (within.is_unopened()) {
    view_.lesson->model_due = true;
    return;
  }
  view_.lesson->model_due = false;
  model_arrival_.reset();
  if (within && within.model != document_.within.read().model) {
    ModelArrival arrival{.session = {}, .path = within.path, .from = Kept::No, .of_lesson = true};
    arrival.session.document = wanted;
    models_.follow(wanted, model_wants());
    model_arrival_ = std::move(arrival);
    return;
  }
  if (begins)
    take({.document = within ? document_ : wanted,
          .looks = {},
          .held = {},
          .damage = {},
          .note = {},
          .layers = {}},
         {});
  if (within)
    document_.within.change() = within;
  else
    document_ = wanted;
  if (within) document_ = models_.placed(std::move(document_));
  original_ = document_;
}

/// How far a person has come is kept from run to run.
void App::go_to_lesson(const LessonRequest& wanted) {
  if (show_lesson_step(wanted)) lessons_.reach(view_.lesson->name, view_.lesson->step);
}

/// A lesson begins like a file that is opened: what was open before is kept as closed. Its further steps are
/// edits, which undo takes back. False: it cannot be read.
bool App::show_lesson_step(const LessonRequest& wanted) {
  LessonState& state = *view_.lesson;
  lessons_.follow(wanted.name, view_.language);
  if (!lessons_.sight().open) {
    view_.notices.say(lessons_.sight().problem);
    if (!state.name.empty()) lessons_.follow(state.name, view_.language);
    return false;
  }
  const bool begins = state.name != wanted.name;
  if (begins) {
    LessonState begun;
    begun.name = wanted.name;
    begun.notes = state.notes;
    begun.pytorch = state.pytorch;
    begun.next_order = state.next_order;
    begun.shuffle();
    state = std::move(begun);
  } else {
    if (state.answer != StepAnswer{}) state.answers[state.step] = state.answer;
    state.answer = {};
  }
  want_lesson_model();
  const lessons::OpenLessonPtr open = lessons_.sight().open;
  if (!open) {
    view_.notices.say(lessons_.sight().problem);
    return false;
  }
  const std::int64_t step =
      std::clamp<std::int64_t>(wanted.step, 0, static_cast<std::int64_t>(open->documents.size()) - 1);
  const lessons::StepDocuments& documents = open->documents[static_cast<std::size_t>(step)];
  if (const auto answered = state.answers.find(step); answered != state.answers.end())
    state.answer = answered->second;
  state.step = step;
  view_.mode = Mode::Lessons;
  if (arrival_) arrival_->looks.reset();  // what was opened just before is not looked at any more
  state.left.reset();
  if (open->lesson.of_training()) {
    stand_at_step();
  } else {
    show_step_document(documents.shown, begins);
    hold_of_step(documents.held);
  }
  state.look_due = state.question_due = state.type_due = true;
  state.scroll = state.code_scroll = state.folds_in = state.plot_reach = 0;
  state.words_height = state.code_height = 0;
  state.answer_due = 0;
  return true;
}

/// The model of the lesson that is open is looked for, once, and taken where it is there.
void App::want_lesson_model() {
  const lessons::OpenLessonPtr& open = lessons_.sight().open;
  lesson_models_.want(open ? open->lesson.model : std::string(), open ? open->path : std::filesystem::path(),
                      document_.within.read().model);
  if (open && lesson_models_.sight().model) lessons_.give_model(lesson_models_.sight().model);
}

/// It may have come since the last frame: then the step that waits for it goes on.
void App::follow_lesson_model() {
  lesson_models_.poll();
  const bool had = lessons_.sight().open != nullptr;
  want_lesson_model();
  const lessons::OpenLessonPtr& open = lessons_.sight().open;
  if (!open) {
    if (had) view_.notices.say(lessons_.sight().problem);
    return;
  }
  LessonState& state = *view_.lesson;
  if (!state.model_due || model_step() == nullptr || !lessons_.has_model() || state.left) return;
  const auto step = std::clamp<std::int64_t>(state.step, 0, std::ssize(open->documents) - 1);
  show_step_document(open->documents[static_cast<std::size_t>(step)].shown, true);
  state.look_due = true;
}

/// The step as it was left. Where another file was opened meanwhile, that one is closed as usual.
void App::show_step_again() {
  LessonState& state = *view_.lesson;
  if (training_step() != nullptr) return show_trained_step_again();
  Document left = *std::exchange(state.left, std::nullopt);
  if (!files_.path().empty()) {
    take({.document = std::move(left), .looks = {}, .held = {}, .damage = {}, .note = {}, .layers = {}}, {});
  } else {
    document_ = std::move(left);
  }
  const lessons::OpenLessonPtr open = lessons_.sight().open;
  if (!open) return;
  const auto step = static_cast<std::size_t>(
      std::clamp<std::int64_t>(state.step, 0, static_cast<std::int64_t>(open->documents.size()) - 1));
  original_ = open->documents[step].shown;
  hold_of_step(open->documents[step].held);
  state.look_due = true;
}

/// A lesson's text would be told of another Document: what was opened is shown elsewhere. The step is kept as
/// it was, F8 brings it back.
void App::leave_page() {
  LessonState& state = *view_.lesson;
  if (view_.mode == Mode::Lessons && !state.name.empty() && !state.left) {
    state.left = document_;
    leave_trained_step();
  }
  if (view_.mode == Mode::Model || is_page(view_.mode)) view_.mode = Mode::Explore;
}

/// Outside the mode the person plays freely; back in it the step is as it was. `before`: the mode as this
/// frame found it. What undo brings back is as it was then, with what was held then; else B follows the step.
void App::watch_lesson(Mode before, bool by_history) {
  LessonState& state = *view_.lesson;
  give_training_back();
  if (state.name.empty()) {
    state.left.reset();
    return;
  }
  const bool was = before == Mode::Lessons, is = view_.mode == Mode::Lessons;
  if (by_history) state.look_due = false;
  if (by_history && is) {
    state.left.reset();
    undone_to_ = {state.name, state.step};
  }
  // A model that a step still waits for would come as a change, over what was gone back to.
  if (by_history && history_.can_redo()) {
    state.model_due = false;
    if (model_arrival_ && model_arrival_->of_lesson) model_arrival_.reset();
  }
  if (was && !is && !state.left && !by_history) {
    state.left = document_;
    leave_trained_step();
  }
  if (!was && is && state.left) show_step_again();
  const lessons::OpenLessonPtr open = lessons_.sight().open;
  if (!is || !open || open->name != state.name || std::pair(open->name, state.step) == held_step_) return;
  if (open->lesson.of_training()) return stand_at_step();
  if (std::pair(open->name, state.step) == undone_to_) {
    held_step_ = undone_to_;
    return;
  }
  if (state.step < std::ssize(open->documents))
    hold_of_step(open->documents[static_cast<std::size_t>(state.step)].held);
}

bool App::presents() const { return view_.presenter->on; }
bool App::presents_lesson() const {
  return view_.presenter->on && view_.mode == Mode::Lessons && lessons_.sight().open != nullptr;
}
bool App::shows_speaker_notes() const { return view_.lesson->notes; }
void App::hide_speaker_notes() { view_.lesson->notes = false; }

void App::draw_speaker_notes(const Fonts& fonts, TextureCache& textures, float scale) const {
  const lessons::OpenLessonPtr open = lessons_.sight().open;
  if (!open) return;
  const Ui ui(theme(view_.theme), fonts, textures, scale, {.words = &words_});
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize(size);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
  ImGui::Begin("Speaker notes", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings);
  const auto since = std::chrono::steady_clock::now() - view_.presenter->began;
  draw_speaker_page(ui, {0, 0, size.x, size.y}, open->lesson, *view_.lesson,
                    std::chrono::duration<double>(since).count());
  ImGui::End();
  ImGui::PopStyleVar(2);
  textures.end_frame();
}

}  // namespace attnscope
