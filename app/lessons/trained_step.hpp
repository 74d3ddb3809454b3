// app/lessons: the run on screen in a step of a lesson that trains, and the part of it that is looked at.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/training/lab_state.hpp"
#include "core/training/lab/lab.hpp"

namespace attnscope::lessons {

struct TrainedStep {
  std::string task;
  bool control = false;  // the task's recipe that is meant to fail
  std::int64_t seed = 0;
  std::int64_t steps = 0;                            // of run A
  std::optional<training::LabStand::Branch> branch;  // run B
  std::optional<std::int64_t> look;                  // the step on screen; empty: the newest
  LabSide side = LabSide::A;                         // the run whose heads are drawn
  std::string measure;                               // the curves in front, see measure_names()
  /// The curves on the page and the numbers beside the heads, together with the one in front, see
  /// measure_names(); empty: all.
  std::vector<std::string> plots;
  bool covers_plots = true, covers_heads = true;  // until an open question is revealed
  std::vector<std::string> covered_curves;        // only these, see measure_names(): others stay on the page
};

/// The curves that stay on the page while the step's question is open, see measure_names(). Not empty.
std::vector<std::string> open_curves(const TrainedStep&);

/// The settings of the training page for the step. Settings of the machine are those of `now`.
LabState state_of(const TrainedStep&, LabState now);
/// The position of the lab, with the seed of that state.
training::LabStand stand_of(const TrainedStep&, const LabState&);

/// Applies "scale off", "mask off", "rate 10", "mute 1", separated by commas, to the knobs: division by the
/// root of d_k, the causal mask, a factor of the recipe's learning rate, and the head with that number,
/// counted through all layers. Throws Error with a sentence.
training::Knobs turned(training::Knobs, const training::Recipe&, std::string_view text);

/// The measures that can be in front in a step that trains: "loss", "accuracy", "entropy", "gradient", "cost"
/// and the task's scores.
std::vector<std::string_view> measure_names(const training::TaskRow&);

/// A learner's action in such a step: another seed, knobs turned on the run that trains, a number of steps. A
/// JSON object with any of "seed", "knobs" and "steps". Throws Error with a sentence.
struct ReachedBy {
  std::optional<std::int64_t> seed, steps;
  std::string knobs;
};
ReachedBy reached_by(const std::string& json);

}  // namespace attnscope::lessons
