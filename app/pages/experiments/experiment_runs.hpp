// app/pages/experiments: measures experiments in the background, one value at a time, and computes the
// matrices of the chosen value. Measurements are kept as long as the program runs.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/worker.hpp"
#include "core/experiments/experiment.hpp"

namespace attnscope {

/// What the page reads of the experiment on screen.
struct ShownExperiment {
  const experiments::Experiment* experiment = nullptr;       // null: none
  std::vector<std::optional<experiments::Measured>> points;  // by value
  std::shared_ptr<const experiments::Look> look;  // of the chosen value; until computed, of an earlier one
  std::size_t look_point = 0;
  std::string problem;  // why measuring stopped, in one sentence; empty if it did not

  std::size_t known() const;
};

/// The index of the sweep's value nearest to a session's value; empty: the experiment's default.
std::size_t experiment_point(std::optional<double> value, const experiments::Experiment&);

/// Call it on the interface's thread alone.
class ExperimentRuns {
 public:
  /// `wake` is called on a worker's thread after each result.
  explicit ExperimentRuns(std::function<void()> wake) : wake_(std::move(wake)) {}

  /// Measures the sweep of the experiment, beginning near the `point` at which it was chosen; computes the
  /// look at `point`; updates shown_experiment(). Null: stops what runs.
  void follow(const experiments::Experiment*, std::size_t point);
  const ShownExperiment& shown_experiment() const { return shown_; }
  /// Whether all values and the look at the chosen one are in sight, or a problem ended measuring.
  bool is_settled() const;
  /// Blocks until nothing runs.
  void wait() const { worker_.wait(looks), worker_.wait(sweeps); }

 private:
  struct Sweep;
  struct LookWanted;
  static constexpr int looks = 0, sweeps = 1;  // lanes

  void begin(std::size_t point);
  void take_points();
  void take_look(std::size_t point);

  std::function<void()> wake_;
  std::map<const experiments::Experiment*, std::shared_ptr<Sweep>> all_;
  std::shared_ptr<LookWanted> wanted_;
  std::uint64_t seen_ = 0;  // version of the sweep in sight
  std::size_t point_ = 0;
  ShownExperiment shown_;
  Worker worker_;  // last: it is joined before the rest goes
};

}  // namespace attnscope
