// core/training: what is told of a network while it learns, measured on a fixed batch that training never
// sees.
#pragma once

#include <cstdint>
#include <vector>

#include "core/training/learner.hpp"
#include "core/training/tasks/task.hpp"

namespace attnscope::training {

struct GroupResult {
  double loss = 0;      // nats, mean over the rows
  double accuracy = 0;  // share of rows whose largest logit is the answer's
  std::int64_t rows = 0;
};

/// Lengths of the gradient of each projection of a layer; up and down are 0 without an MLP.
struct ProjectionNorms {
  double query = 0, key = 0, value = 0, output = 0, up = 0, down = 0;
};

/// Of dL/d(scaled scores) of every query that has a choice and an effect: what softmax lets through. A query
/// that sees one key has no choice; in the last layer one whose row is not asked has no effect.
struct ScoreGradients {
  double median = 0;
  double vanished = 0;  // share of queries below 1e-6
};

struct Metrics {
  std::int64_t step = 0;                     // steps done
  double rate = 0;                           // of the next step
  double batch_loss = 0, gradient_norm = 0;  // of the last step; 0 before the first
  double loss = 0;                           // of the measured batch: means of the read-outs, summed
  std::vector<GroupResult> groups;           // as the task has them
  std::vector<double>
      entropy;  // [layers · heads]: H(row) / ln(keys it sees), mean of rows with two keys at least
  std::vector<std::vector<double>> scores;  // [scores of the task][layers · heads]
  std::vector<double> even_scores;          // [scores]: what weights that are even over the keys seen give
  std::vector<ProjectionNorms> gradients;   // of each layer, in the last step
  ScoreGradients score_gradients;           // of the measured batch's first sequences
};

/// The measured batch of a recipe.
class Evaluation {
 public:
  Evaluation(const Recipe&, const TaskRow&, const Maker&, int sequences_of_chunk);

  /// Everything but step, rate, batch_loss and gradient_norm. The gradient that the learner holds is that of
  /// its last step. score_gradients costs a step more and overwrites that gradient; 0 where it is not wanted.
  Metrics measure(Learner<float>&, const Operation&, bool score_gradients);

  const Batch& batch() const { return batch_; }
  const Notes& notes(int sequence) const { return notes_[static_cast<std::size_t>(sequence)]; }

 private:
  struct Sums {                  // of one sequence
    std::vector<double> losses;  // of each read-out
    std::vector<GroupResult> groups;
    std::vector<double> entropy;  // [layers · heads]
    std::vector<std::vector<double>> scores;
    std::vector<double> even_scores;
    std::vector<std::int64_t> looks;  // of each score
  };
  void measure_chunk(int chunk, Pass<float>&, int worker, const Learner<float>&, const Operation&);
  void answer(int chunk, Pass<float>&, int worker, const Learner<float>&);
  ScoreGradients let_through(const Operation&) const;
  void look(int sequence, int in_chunk, const Pass<float>&, const Operation&);
  Metrics summed() const;

  const TaskRow& task_;
  NetworkSpec spec_;
  Batch batch_, gradient_batch_;
  std::vector<Notes> notes_;
  std::vector<Sums> sums_;
  struct Room {
    std::vector<float> logits;
    std::vector<double> row_losses;
    std::vector<std::int32_t> place;  // of a row among those that are asked
  };
  std::vector<Room> rooms_;  // one for each thread
  std::vector<float> score_norms_;
};

std::vector<ProjectionNorms> projection_norms(const Network<float>&, const float* gradient);

}  // namespace attnscope::training
