// core/training: one training run, step by step, as a window or a command line drives it: metrics, snapshots
// to go back to, and knobs that are turned while it trains.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/training/learner.hpp"
#include "core/training/metrics.hpp"
#include "core/training/tasks/recipe.hpp"
#include "core/training/tasks/task.hpp"

namespace attnscope::training {

/// What may be changed between two steps.
struct Knobs {
  Operation operation;
  double rate_factor = 1;  // multiplies the scheduled rate, > 0
  bool operator==(const Knobs&) const = default;
};

/// What a run of the recipe begins with.
Knobs usual_knobs(const Recipe&);

/// Everything that the next step depends on besides the recipe. A value: 12 bytes a weight.
struct Snapshot {
  std::int64_t step = 0;  // steps done
  Knobs knobs;
  std::vector<float> weights, mean, square;
  bool operator==(const Snapshot&) const = default;
};

/// Weights of every head for one sequence.
struct Probe {
  Tensor weights;  // [layers][heads][rows][rows]
  Tensor logits;   // [rows][classes] of a read-out
};

/// Not for two threads at a time; one recipe gives one bit pattern for any number of threads.
class Trainer {
 public:
  /// kernels: null = the best of this machine. Throws Error with a
  /// sentence when the recipe does not fit its task.
  explicit Trainer(Recipe recipe, SharedPool pool = {}, const Kernels<float>* kernels = nullptr);
  ~Trainer();

  const Recipe& recipe() const { return recipe_; }
  const TaskRow& task() const { return *task_; }
  const Maker& maker() const { return *maker_; }
  const Network<float>& network() const { return learner_->network(); }
  std::int64_t weight_count() const { return network().layout.count(); }
  /// Steps done.
  std::int64_t step() const { return step_; }

  const Knobs& knobs() const { return knobs_; }
  /// From the next step on. Throws Error when they do not fit the network.
  void set_knobs(const Knobs&);

  /// Trains `count` steps, or fewer where recipe().steps is reached; allocates nothing.
  void train(int count);
  bool is_at_end() const { return step_ >= recipe_.steps; }
  /// Measures the network as it is now; changes nothing that later steps depend on.
  Metrics measure(bool score_gradients = false);
  /// The same under another operation, say with a head muted: what the head is worth. Throws Error as
  /// set_knobs().
  Metrics measure_under(const Operation&);
  bool reaches_goal(const Metrics&) const;
  /// The loss that no honest model gets below, of the task's floor group; nothing where it has none.
  std::optional<double> floor() const;

  Snapshot snapshot() const;
  /// Goes on from there: the same steps as the run it came from, to the bit, with the same knobs. Throws
  /// Error when it is of another network.
  void restore(const Snapshot&);

  /// One sequence of the network's length or shorter through the network as it is now. Throws Error for a
  /// token that it does not have, and of networks that read patches.
  Probe probe(std::span<const std::int32_t> tokens, std::size_t read_out = 0);
  /// A sequence of the measured batch.
  Probe probe_measured(int sequence);
  const Evaluation& evaluation() const { return *evaluation_; }

  std::span<const float> weights() const;
  std::string_view instruction_set() const;

 private:
  Probe probe(const Rows&, std::size_t read_out);
  void check_muted(const Operation&) const;

  Recipe recipe_;
  const TaskRow* task_;
  std::unique_ptr<Maker> maker_;
  std::unique_ptr<Learner<float>> learner_;
  std::unique_ptr<Batch> batch_;
  std::unique_ptr<Evaluation> evaluation_;
  std::unique_ptr<Pass<float>> probe_pass_;
  Knobs knobs_;
  StepResult last_;
  std::int64_t step_ = 0;
};

/// Throws Error with a sentence that names the field, what was found and what was expected.
void check(const Recipe&);
/// With what follows from the task's data filled in, and checked.
Recipe prepared(Recipe);

}  // namespace attnscope::training
