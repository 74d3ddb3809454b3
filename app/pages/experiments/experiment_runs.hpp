// app/pages/experiments: experiments that are measured behind the window, a value at a time, and the value
// that is looked at. What was measured is kept as long as the program runs.
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

/// What views are given of the experiment on screen.
struct ExperimentSight {
  const experiments::Experiment* experiment = nullptr;       // null: none
  std::vector<std::optional<experiments::Measured>> points;  // by value
  std::shared_ptr<const experiments::Look> look;  // of the chosen value or, until it is there, of one before
  std::size_t look_point = 0;
  std::string problem;  // why there is no more: one sentence; empty where there is nothing to say

  std::size_t known() const;
};

/// The place in its sweep that a session's value means; empty: where it begins.
std::size_t experiment_point(std::optional<double> value, const experiments::Experiment&);

/// Belongs to the interface's thread.
class ExperimentRuns {
 public:
  /// `wake` is called on a worker when there is news.
  explicit ExperimentRuns(std::function<void()> wake) : wake_(std::move(wake)) {}

  /// What is to be measured from here on, the chosen value first, and what is there. Null: nothing, and what
  /// runs is stopped.
  void follow(const experiments::Experiment*, std::size_t point);
  const ExperimentSight& sight() const { return sight_; }
  /// Whether all that was asked for is in sight.
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
  ExperimentSight sight_;
  Worker worker_;  // last: it is joined before the rest goes
};

}  // namespace attnscope
