// app/shell: training on its way to the screen, and what a page has made on its way into Explore.
#include <algorithm>
#include <utility>

#include "app/lessons/trained_step.hpp"
#include "app/shell/app.hpp"
#include "app/state/teaching/lesson_state.hpp"
#include "app/training/lab_state.hpp"

namespace attnscope {

/// The step that is on screen, or whose free play is, where its lesson trains; null else.
const lessons::Step* App::training_step() const {
  const lessons::OpenLessonPtr& open = lessons_.sight().open;
  if (!open || !open->lesson.of_training() || open->name != view_.lesson->name) return nullptr;
  const auto last = std::ssize(open->lesson.steps) - 1;
  return &open->lesson.steps[static_cast<std::size_t>(std::clamp<std::int64_t>(view_.lesson->step, 0, last))];
}

/// The training page becomes what the step says; what stood there before the lesson is kept.
void App::stand_at_step() {
  const lessons::Step* const step = training_step();
  if (step == nullptr) return;
  held_step_ = {view_.lesson->name, view_.lesson->step};
  if (!own_training_) own_training_ = StoredRuns{lab_of(view_), training_->sight()};
  left_training_.reset();
  lab_of(view_) = lessons::state_of(step->trained, lab_of(view_));
  training_->stand(lab_of(view_), lessons::stand_of(step->trained, lab_of(view_)));
}

/// A run that is still on its way to its step is not one to come back to: then the step begins again.
void App::leave_trained_step() {
  left_training_.reset();
  if (training_step() == nullptr) return;
  lab_of(view_).playing = false;
  if (training_->has_stood()) left_training_ = StoredRuns{lab_of(view_), training_->sight()};
}

void App::show_trained_step_again() {
  view_.lesson->left.reset();
  if (!left_training_) return stand_at_step();
  const StoredRuns left = *std::exchange(left_training_, std::nullopt);
  training_->put_back(lab_of(view_), left);
}

/// Behind a lesson that trains the training page is as a person has left it.
void App::give_training_back() {
  if (!own_training_ || training_step() != nullptr) return;
  const StoredRuns own = *std::exchange(own_training_, std::nullopt);
  left_training_.reset();
  training_->put_back(lab_of(view_), own);
}

/// Out of the page and of lessons that train nothing trains.
void App::follow_training() {
  if (view_.mode == Mode::Training || (view_.mode == Mode::Lessons && training_step() != nullptr)) {
    training_->follow(lab_of(view_));
    if (const auto saved = training_->saved()) open(*saved);
    return;
  }
  training_->leave(lab_of(view_));
}

/// As a file is opened: what was open before is kept as closed.
void App::take_made(MadeDocument made) {
  if (!made.held) release_held();
  take({.document = std::move(made.document),
        .looks = {},
        .held = std::move(made.held),
        .damage = {},
        .note = {},
        .layers = {}},
       {});
  view_.show_stage(Stage::Softmax);
  view_.mode = Mode::Explore;
}

}  // namespace attnscope
