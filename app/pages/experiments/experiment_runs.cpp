#include "app/pages/experiments/experiment_runs.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>

namespace attnscope {

using experiments::Experiment;
using experiments::Measured;

/// The measurements of an experiment. The worker writes them, under the mutex.
struct ExperimentRuns::Sweep {
  explicit Sweep(const Experiment& of) : experiment(of), points(of.values.size()) {}

  const Experiment& experiment;
  std::mutex mutex;
  std::vector<std::optional<Measured>> points;
  std::string problem;
  std::uint64_t version = 0;

  /// The unmeasured value nearest to the chosen one; empty if there is none or measuring failed.
  std::optional<std::size_t> next(std::size_t chosen) {
    const std::lock_guard lock(mutex);
    std::optional<std::size_t> best;
    const auto away = [&](std::size_t i) { return i > chosen ? i - chosen : chosen - i; };
    for (std::size_t i = 0; i < points.size(); ++i)
      if (!points[i] && problem.empty() && (!best || away(i) < away(*best))) best = i;
    return best;
  }

  /// Measures one value; false if none is left, or if measuring was cancelled or failed.
  bool measure(std::size_t chosen, const std::stop_token& stop) {
    const std::optional<std::size_t> point = next(chosen);
    if (!point) return false;
    std::optional<Measured> measured;
    std::string trouble;
    try {
      measured = experiment.measure(experiment.values[*point], stop);
    } catch (const Cancelled&) {
      return false;
    } catch (const std::exception& error) {
      trouble = error.what();
    }
    const std::lock_guard lock(mutex);
    if (measured) points[*point] = std::move(measured);
    problem = trouble;
    ++version;
    return problem.empty();
  }
};

/// A look to be computed at one value.
struct ExperimentRuns::LookWanted {
  const Experiment* experiment;
  std::size_t point;
  std::shared_ptr<const experiments::Look> look;  // written before `done`
  std::string problem;
  std::atomic<bool> done{false};
};

std::size_t ShownExperiment::known() const {
  return static_cast<std::size_t>(std::ranges::count_if(points, [](const auto& p) { return p.has_value(); }));
}

std::size_t experiment_point(std::optional<double> value, const Experiment& experiment) {
  return value ? experiments::nearest(experiment, *value) : experiment.rest;
}

void ExperimentRuns::begin(std::size_t point) {
  std::shared_ptr<Sweep>& sweep = all_[shown_.experiment];
  if (!sweep) sweep = std::make_shared<Sweep>(*shown_.experiment);
  shown_.points.assign(shown_.experiment->values.size(), {});
  seen_ = static_cast<std::uint64_t>(-1);
  if (!sweep->next(point)) return worker_.replace(nullptr, sweeps);
  worker_.replace(std::make_shared<Stepwise>(
                      [sweep, point](const std::stop_token& stop) { return sweep->measure(point, stop); },
                      wake_, Stepwise::Tells::EachStep),
                  sweeps);
}

void ExperimentRuns::take_points() {
  Sweep& sweep = *all_[shown_.experiment];
  const std::lock_guard lock(sweep.mutex);
  if (sweep.version == seen_) return;
  seen_ = sweep.version;
  shown_.points = sweep.points;
  shown_.problem = sweep.problem;
}

void ExperimentRuns::take_look(std::size_t point) {
  const bool is_wanted = wanted_ && wanted_->experiment == shown_.experiment && wanted_->point == point;
  if (!is_wanted) {
    wanted_ = std::make_shared<LookWanted>();
    wanted_->experiment = shown_.experiment;
    wanted_->point = point;
    worker_.replace(std::make_shared<Stepwise>(
                        [wanted = wanted_](const std::stop_token& stop) {
                          try {
                            wanted->look = std::make_shared<const experiments::Look>(experiments::look(
                                *wanted->experiment, wanted->experiment->values[wanted->point], stop));
                          } catch (const Cancelled&) {
                          } catch (const std::exception& error) {
                            wanted->problem = error.what();
                          }
                          wanted->done = true;
                          return false;
                        },
                        wake_),
                    looks);
  }
  if (!wanted_->done) return;
  if (!wanted_->problem.empty()) shown_.problem = wanted_->problem;
  if (!wanted_->look) return;
  shown_.look = wanted_->look;
  shown_.look_point = point;
}

void ExperimentRuns::follow(const Experiment* experiment, std::size_t point) {
  if (experiment != shown_.experiment) {
    shown_ = {};
    shown_.experiment = experiment;
    wanted_.reset();
    worker_.replace(nullptr, looks);
    worker_.replace(nullptr, sweeps);
    if (experiment != nullptr) begin(point);
  }
  if (experiment == nullptr) return;
  point_ = point;
  take_points();
  take_look(point);
}

bool ExperimentRuns::is_settled() const {
  if (shown_.experiment == nullptr || !shown_.problem.empty()) return true;
  return shown_.known() == shown_.points.size() && shown_.look && shown_.look_point == point_;
}

}  // namespace attnscope
