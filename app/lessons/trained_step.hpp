// app/lessons: of a lesson that trains: the run that a step stands at, and what of it is looked at.
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
  bool control = false;  // the task's recipe that fails for a reason
  std::int64_t seed = 0;
  std::int64_t steps = 0;                            // that run A is trained
  std::optional<training::LabStand::Branch> branch;  // run B
  std::optional<std::int64_t> look;                  // the step that is looked at; empty: the newest
  LabSide side = LabSide::A;                         // that the heads are drawn of
  std::string measure;                               // the curves in front, see measure_names()
  /// The curves on the page and the numbers beside the heads, see measure_names(); empty: all. With the one
  /// in front.
  std::vector<std::string> plots;
  bool covers_plots = true, covers_heads = true;  // until an open question is revealed
  std::vector<std::string> covered_curves;        // these alone, see measure_names(): others stay on the page
};

/// The curves that are on the page while the question of the step is open, see measure_names(). Not empty.
std::vector<std::string> open_curves(const TrainedStep&);

/// What the training page is to be set to. What belongs to the machine stays as in `now`.
LabState state_of(const TrainedStep&, LabState now);
/// Where the lab is to stand, with the seed of that state.
training::LabStand stand_of(const TrainedStep&, const LabState&);

/// "scale off", "mask off", "rate 10", "mute 1", separated by commas, upon other knobs: division by the root
/// of d_k, the causal mask, a factor of the recipe's rate, the head of that number counted through all
/// layers. Throws Error with a sentence.
training::Knobs turned(training::Knobs, const training::Recipe&, std::string_view text);

/// What a step that trains can have in front: "loss", "accuracy", "entropy", "gradient", "cost" and the
/// task's scores.
std::vector<std::string_view> measure_names(const training::TaskRow&);

/// What a learner does in such a step: with another seed, with knobs turned on the run that trains, so many
/// steps of it. A JSON object with any of "seed", "knobs" and "steps". Throws Error with a sentence.
struct ReachedBy {
  std::optional<std::int64_t> seed, steps;
  std::string knobs;
};
ReachedBy reached_by(const std::string& json);

}  // namespace attnscope::lessons
