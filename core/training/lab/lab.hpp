// core/training/lab: a task that trains behind the window: played, paused, changed while it trains, gone back
// in, and branched. One thread owns the weights; what it publishes is immutable.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/training/lab/lab_run.hpp"

namespace attnscope::training {

/// What is on screen. Cheap to copy.
struct LabSight {
  std::shared_ptr<const Recipe> recipe;  // null: nothing was begun
  const TaskRow* task = nullptr;
  std::optional<double> floor;      // loss of the floor's group that no honest model gets below
  std::vector<std::string> tokens;  // of the probe, in its order; empty where it is patches
  std::int64_t weights = 0;
  std::vector<LabRunPtr> runs;
  int active = 0;  // the run that trains
  std::uint64_t version = 0;
  std::string problem;          // why nothing trains: one sentence
  std::string log_head;         // the first line of a table of measurements, see log_of()
  std::filesystem::path saved;  // the folder that save() has written last; empty: none
  std::uint64_t saves = 0;      // how many it has

  const LabRun* run() const { return runs.empty() ? nullptr : runs[static_cast<std::size_t>(active)].get(); }
};

/// Every measurement of a run as CSV, as `attnscope train --log` writes them.
std::string log_of(const LabSight&, const LabRun&);

/// Bytes of states to go back to that are kept for one run; the rest are thinned out.
inline constexpr std::size_t most_kept_bytes = std::size_t{64} << 20;
inline constexpr int most_runs = 8;

/// Belongs to one thread; what it asks for is done on another, in order.
class Lab {
 public:
  /// `wake` is called on the lab's thread when there is news. threads: of the trainer, 0 = what the machine
  /// has.
  explicit Lab(std::function<void()> wake = {}, int threads = 0);
  ~Lab();
  Lab(const Lab&) = delete;
  Lab& operator=(const Lab&) = delete;

  /// Forgets all runs and makes the network of this recipe, measured at step 0.
  void begin(const Recipe&);
  /// So many steps of the active run, or up to the recipe's end. In place of what trains.
  void train(std::int64_t steps);
  /// Up to the recipe's end, or until stop().
  void train_on();
  /// Soon: within a step.
  void stop();
  /// Of the active run, from the next step on.
  void set_knobs(const Knobs&);
  /// A new run that goes on from the last kept state at that step or before, with the same knobs; it is
  /// active. No more than most_runs.
  void branch(std::int64_t step);
  /// Writes the active run's model as it is now into a folder, see export_model().
  void save(const std::filesystem::path& folder);
  /// That run is active: it goes on where it was.
  void choose(int run);

  LabSight sight() const;
  bool is_training() const;
  /// Whether anything runs or waits.
  bool is_busy() const;
  /// Blocks until nothing trains. For tests and pictures without a window.
  void wait() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace attnscope::training
