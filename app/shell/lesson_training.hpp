// app/shell: training on its way to the screen: of its page, and of lessons that train, which borrow the page
// and give it back.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "app/training/training_runs.hpp"
#include "app/workspace/workspace.hpp"

namespace attnscope {

/// The step that is on screen where its lesson plays with a model; null else.
const lessons::Step* model_step(const Workspace&);
/// The step that is on screen, or whose free play is, where its lesson trains; null else.
const lessons::Step* training_step(const Workspace&);

class LessonTraining {
 public:
  explicit LessonTraining(Workspace& space)
      : space_(space), runs_(std::make_unique<TrainingRuns>(space.wake, space.backends.pool())) {}

  TrainingRuns& runs() const { return *runs_; }

  /// The training page becomes what the step says; what stood there before the lesson is kept.
  void stand_at_step();
  /// A run that is still on its way to its step is not one to come back to: then the step begins again.
  void leave_step();
  /// What was left comes back; false: nothing was, and the step begins again.
  bool put_back_left();
  /// Behind a lesson that trains the training page is as a person has left it.
  void give_back();

  /// Once a frame. Out of the page and of lessons that train nothing trains. A model that was saved
  /// meanwhile: where it lies.
  std::optional<std::filesystem::path> follow();
  bool is_settled() const;

 private:
  Workspace& space_;
  std::unique_ptr<TrainingRuns> runs_;
  /// Before a lesson that trains began, empty where none is open; of free play, the step's as it was left.
  std::optional<StoredRuns> own_, left_;
};

}  // namespace attnscope
