// app/shell: training on its page, and in lessons, which borrow the page's runs and give them back.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "app/training/training_runs.hpp"
#include "app/workspace/workspace.hpp"

namespace attnscope {

/// The step on screen if its lesson uses a model; else null.
const lessons::Step* model_step(const Workspace&);
/// The step on screen, or left for free play, if its lesson trains; else null.
const lessons::Step* training_step(const Workspace&);

class LessonTraining {
 public:
  explicit LessonTraining(Workspace& space)
      : space_(space), runs_(std::make_unique<TrainingRuns>(space.wake, space.backends.pool())) {}

  TrainingRuns& runs() const { return *runs_; }

  /// Trains what the step describes; keeps the user's own runs from before the lesson.
  void stand_at_step();
  /// Keeps the runs of a step that is left. If they are not trained to the step yet, it will begin again.
  void leave_step();
  /// Puts the runs of the left step back; false: none were kept.
  bool put_back_left();
  /// After a lesson that trains: puts the user's own runs back.
  void give_back();

  /// Once a frame: trains on the training page and in lessons that train, and stops elsewhere. Returns the
  /// folder of a model that was saved meanwhile.
  std::optional<std::filesystem::path> follow();
  bool is_settled() const;

 private:
  Workspace& space_;
  std::unique_ptr<TrainingRuns> runs_;
  /// own_: the user's runs before a lesson that trains, empty if none is open; left_: the runs of the step
  /// that was left for free play.
  std::optional<StoredRuns> own_, left_;
};

}  // namespace attnscope
