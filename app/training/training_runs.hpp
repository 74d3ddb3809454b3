// app/training: what trains behind the window, what was measured of it, the wall of seeds.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

#include "app/training/lab_state.hpp"
#include "core/training/lab/lab.hpp"
#include "core/training/lab/seed_wall.hpp"

namespace attnscope {

/// The runs as they were at some time, with what was chosen then.
struct StoredRuns {
  LabState state;
  training::LabSight sight;
};

/// Belongs to the interface's thread. Its threads are made when it is first followed.
class TrainingRuns {
 public:
  /// `wake` is called on a worker when there is news.
  TrainingRuns(std::function<void()> wake, SharedPool pool)
      : wake_(std::move(wake)), pool_(std::move(pool)) {}

  /// Once a frame while the page is on screen: another recipe begins anew, what plays goes on, what ended
  /// stops.
  void follow(LabState&);
  /// The page has left the screen: what trains stops.
  void leave(LabState&);

  /// The runs become those of that place, see Lab::stand(); the state is that which has its recipe.
  void stand(LabState&, const training::LabStand&);
  /// The same with what was on screen earlier.
  void put_back(LabState&, const StoredRuns&);
  /// Whether the runs are those of the last stand(), reached or on their way; and whether it was reached.
  bool is_placed() const { return sight_.stand == asked_; }
  bool has_stood() const { return sight_.stood == asked_; }

  /// Writes the active run's model into a folder; taken from saved(), once, when it is there.
  void save(const std::filesystem::path& folder);
  std::optional<std::filesystem::path> saved();

  /// Null before the first follow().
  training::Lab* lab() const { return lab_.get(); }
  const training::LabSight& sight() const { return sight_; }
  const training::WallSight& wall() const { return wall_sight_; }
  bool is_training() const { return lab_ && lab_->is_training(); }
  /// Whether nothing trains that is not on screen yet; the wall fills in behind it.
  bool is_settled() const;
  /// Blocks until nothing trains, but for the wall.
  void wait() const;

  /// One step of the active run, now.
  void step_once();
  void run_wall(const training::Recipe&, std::size_t seeds);
  void stop_wall();

 private:
  std::function<void()> wake_;
  SharedPool pool_;
  std::unique_ptr<training::Lab> lab_;
  std::unique_ptr<training::SeedWall> wall_;
  std::optional<training::Recipe> begun_;
  training::LabSight sight_;
  training::WallSight wall_sight_;
  std::uint64_t saves_ = 0;   // that were taken
  std::int64_t trained_ = 0;  // as the state was told
  std::uint64_t asked_ = 0;   // the last stand; 0: none
};

}  // namespace attnscope
