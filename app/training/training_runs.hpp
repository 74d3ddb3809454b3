// app/training: the runs that train in the background, their measurements, and the wall of seeds.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

#include "app/training/lab_probes.hpp"
#include "app/training/lab_state.hpp"
#include "core/training/lab/lab.hpp"
#include "core/training/lab/seed_wall.hpp"

namespace attnscope {

/// The runs as they were at some time, and the state of the page then.
struct StoredRuns {
  LabState state;
  training::ShownLab shown;
};

/// Call it on the interface's thread alone. Its own threads begin when something is first to be trained.
class TrainingRuns {
 public:
  /// `wake` is called on a worker's thread when there is something new to show.
  TrainingRuns(std::function<void()> wake, SharedPool pool)
      : wake_(std::move(wake)), pool_(std::move(pool)), probes_(wake_, pool_) {}

  /// Once a frame while the page is on screen: begins anew with another recipe, trains on while playing,
  /// slower while a score moves if the state says so, and stops at the end.
  void follow(LabState&);
  /// The page is no longer on screen: stops training.
  void leave(LabState&);

  /// Trains the runs that belong to a place, see Lab::stand(); `state` must hold its recipe.
  void stand(LabState&, const training::LabStand&);
  /// Brings back runs that were on screen earlier, and their state.
  void put_back(LabState&, const StoredRuns&);
  /// is_placed(): the runs are those of the last stand(), trained that far or on their way; has_stood(): they
  /// are trained that far.
  bool is_placed() const { return shown_.stand == asked_; }
  bool has_stood() const { return shown_.stood == asked_; }

  /// Writes the active run's model into a folder in the background; saved() returns the folder once when it
  /// is written.
  void save(const std::filesystem::path& folder);
  std::optional<std::filesystem::path> saved();

  /// Null before the first follow() or stand().
  training::Lab* lab() const { return lab_.get(); }
  const training::ShownLab& shown_lab() const { return shown_; }
  const training::ShownWall& wall() const { return shown_wall_; }
  const LabProbes& probes() const { return probes_; }
  bool is_training() const { return lab_ && lab_->is_training(); }
  /// Whether nothing trains and the newest state is on screen; the wall does not count.
  bool is_settled() const;
  /// Blocks until nothing trains; the wall may go on.
  void wait() const;

  /// Trains the active run by one step, unless it is training.
  void step_once();
  void run_wall(const training::Recipe&, std::size_t seeds);
  void stop_wall();

 private:
  void train_on(const LabState&);

  std::function<void()> wake_;
  SharedPool pool_;
  LabProbes probes_;
  std::unique_ptr<training::Lab> lab_;
  std::unique_ptr<training::SeedWall> wall_;
  std::optional<training::Recipe> begun_;
  training::ShownLab shown_;
  training::ShownWall shown_wall_;
  std::uint64_t saves_ = 0;   // saves that saved() has returned
  std::int64_t trained_ = 0;  // LabState::trained as it was last seen or set
  std::uint64_t asked_ = 0;   // the last stand; 0: none
  int frames_ = 0;            // since it last trained, while it goes slower
};

}  // namespace attnscope
