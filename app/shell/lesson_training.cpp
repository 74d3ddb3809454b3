#include "app/shell/lesson_training.hpp"

#include <algorithm>
#include <utility>

#include "app/lessons/trained_step.hpp"
#include "app/state/teaching/lesson_state.hpp"
#include "app/state/window_state.hpp"
#include "app/training/lab_state.hpp"

namespace attnscope {

const lessons::Step* model_step(const Workspace& space) {
  const lessons::OpenLessonPtr& open = space.lessons.shown_lessons().open;
  if (space.view.mode != Mode::Lessons || !open || !open->lesson.of_model() ||
      open->name != lesson_of(space.view).name)
    return nullptr;
  const auto last = std::ssize(open->lesson.steps) - 1;
  return &open->lesson
              .steps[static_cast<std::size_t>(std::clamp<std::int64_t>(lesson_of(space.view).step, 0, last))];
}

const lessons::Step* training_step(const Workspace& space) {
  const lessons::OpenLessonPtr& open = space.lessons.shown_lessons().open;
  if (!open || !open->lesson.of_training() || open->name != lesson_of(space.view).name) return nullptr;
  const auto last = std::ssize(open->lesson.steps) - 1;
  return &open->lesson
              .steps[static_cast<std::size_t>(std::clamp<std::int64_t>(lesson_of(space.view).step, 0, last))];
}

void LessonTraining::stand_at_step() {
  const lessons::Step* const step = training_step(space_);
  if (step == nullptr) return;
  if (!own_) own_ = StoredRuns{lab_of(space_.view), runs_->shown_lab()};
  left_.reset();
  lab_of(space_.view) = lessons::state_of(step->trained, lab_of(space_.view));
  runs_->stand(lab_of(space_.view), lessons::stand_of(step->trained, lab_of(space_.view)));
}

void LessonTraining::leave_step() {
  left_.reset();
  if (training_step(space_) == nullptr) return;
  lab_of(space_.view).playing = false;
  if (runs_->has_stood()) left_ = StoredRuns{lab_of(space_.view), runs_->shown_lab()};
}

bool LessonTraining::put_back_left() {
  if (!left_) return false;
  const StoredRuns left = *std::exchange(left_, std::nullopt);
  runs_->put_back(lab_of(space_.view), left);
  return true;
}

void LessonTraining::give_back() {
  if (!own_ || training_step(space_) != nullptr) return;
  const StoredRuns own = *std::exchange(own_, std::nullopt);
  left_.reset();
  runs_->put_back(lab_of(space_.view), own);
}

std::optional<std::filesystem::path> LessonTraining::follow() {
  if (space_.view.mode == Mode::Training ||
      (space_.view.mode == Mode::Lessons && training_step(space_) != nullptr)) {
    runs_->follow(lab_of(space_.view));
    return runs_->saved();
  }
  runs_->leave(lab_of(space_.view));
  return std::nullopt;
}

bool LessonTraining::is_settled() const { return runs_->is_settled() && !lab_of(space_.view).playing; }

}  // namespace attnscope
