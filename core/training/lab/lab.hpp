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

/// Where a lab is to stand: a run that has trained so far with the recipe as it is, and a branch of it.
struct LabStand {
  struct Branch {
    std::int64_t at = 0;  // step of the first run that it begins at
    Knobs knobs;          // from there on
    std::int64_t steps = 0;
    bool operator==(const Branch&) const = default;
  };
  Recipe recipe;
  std::int64_t steps = 0;
  std::optional<Branch> branch;
  bool operator==(const LabStand&) const = default;
};

/// What is on screen. Cheap to copy.
struct ShownLab {
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
  /// Which of the calls of stand() and put_back(), counted from 1, these runs are of, and which one has been
  /// reached.
  std::uint64_t stand = 0, stood = 0;

  const LabRun* run() const { return runs.empty() ? nullptr : runs[static_cast<std::size_t>(active)].get(); }
};

/// Every measurement of a run as CSV, as `attnscope train --log` writes them.
std::string log_of(const ShownLab&, const LabRun&);

/// Bytes of states to go back to that are kept for one run; the rest are thinned out.
inline constexpr std::size_t most_kept_bytes = std::size_t{64} << 20;
inline constexpr int most_runs = 8;
/// Runs that stand() keeps to go back to.
inline constexpr std::size_t most_shelved = 8;

/// Belongs to one thread; what it asks for is done on another, in order.
class Lab {
 public:
  /// `wake` is called on the lab's thread when there is news. pool: of the trainer.
  explicit Lab(std::function<void()> wake = {}, SharedPool pool = {});
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
  /// The same, with those that it has then changed by `turn`, on the lab's thread: two turns in a row are
  /// both kept.
  void turn_knobs(std::function<void(Knobs&)> turn);
  /// A new run that goes on from the last kept state at that step or before, with the same knobs; it is
  /// active. No more than most_runs.
  void branch(std::int64_t step);
  /// All runs become those of that place, to the bit as if they were trained anew. What was trained before,
  /// with the recipe as it is, is gone back to or goes on. In place of what trains, and like that: other
  /// things that are asked for come between its steps. Returns its number, see ShownLab::stood. What keeps it
  /// from being reached stands in ShownLab::problem.
  std::uint64_t stand(const LabStand&);
  /// All runs become those of that ShownLab, which is of this lab, each at its last step. Numbered as
  /// stand().
  std::uint64_t put_back(const ShownLab&);
  /// Writes the active run's model as it is now into a folder, see export_model().
  void save(const std::filesystem::path& folder);
  /// That run is active: it goes on where it was.
  void choose(int run);

  ShownLab shown_lab() const;
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
