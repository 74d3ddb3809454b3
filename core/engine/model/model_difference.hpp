// core/engine: two runs compared behind the window (see core/readouts/pairs/head_difference.hpp): every head,
// the residual stream behind every layer, every prediction. One thread, the latest pair wins, and what is
// known is published while the rest is worked out.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/base/parallel.hpp"
#include "core/engine/model/model_reading.hpp"
#include "core/readouts/pairs/head_difference.hpp"

namespace attnscope {

/// A run with its model and the words of its rows.
struct ComparedRun {
  OpenedModelPtr model;
  std::shared_ptr<const ModelTokens> tokens;
  std::shared_ptr<const ModelRun> run;
  std::shared_ptr<const RunNumbers> numbers = {};  // they follow from the run
  bool operator==(const ComparedRun& other) const {
    return model == other.model && tokens == other.tokens && run == other.run;
  }
};
/// With what is changed inside the model. The reading must be a good one.
ComparedRun compared_run(const ModelReading&);

struct DifferenceQuestion {
  ComparedRun a, b;
  /// Layer i of A is compared with layer i + shift of B.
  int shift = 0;
  std::int64_t row = -1;  // of A, whose prediction is looked at; -1: none
  bool operator==(const DifferenceQuestion&) const = default;
};

/// What both predict, of A's row that is looked at and its counterpart: the row that corresponds; where none
/// does, and where the model's head looks at one row, that of which B usually predicts.
struct PredictionPair {
  std::int64_t row_a = -1, row_b = -1;
  std::vector<float> a, b;                                       // logits
  std::vector<PredictedToken> top_a, top_b;                      // the ten likeliest
  double divergence = std::numeric_limits<double>::quiet_NaN();  // KL(A ‖ B), nats; NaN: see no_divergence
  /// log_sum_exp() of each.
  double log_sum_a = std::numeric_limits<double>::quiet_NaN(), log_sum_b = log_sum_a;
  Softmax softmax_a() const { return {a, log_sum_a}; }
  Softmax softmax_b() const { return {b, log_sum_b}; }
};

struct ModelDifference {
  DifferenceQuestion asked;
  std::string problem;  // a sentence why the two cannot be compared; then nothing below is there

  /// Of each attention that both models have.
  struct Attention {
    AttentionOf of = AttentionOf::Decoder;
    TokenMatch queries, keys;
    /// Heads of each layer of A, with the same head of B's layer; null: not known yet, empty where B has no
    /// such layer. Heads that B lacks are not there.
    std::vector<std::shared_ptr<const std::vector<HeadDifference>>> layers;
    /// ‖a − b‖ / ‖a‖ of the residual stream as it enters the first layer, [0], and behind each layer of A,
    /// [layer + 1], of each pair of rows; null as above. Empty where the streams are of other widths, and
    /// of cross-attention.
    std::vector<std::shared_ptr<const std::vector<double>>> stream;
  };
  std::vector<Attention> attentions;
  const Attention* find(AttentionOf) const;
  /// Null where the head is not known or has no counterpart.
  const HeadDifference* head(AttentionOf, int block, std::int64_t head) const;

  /// KL(A ‖ B) of the predictions of each pair of rows of the stack that gives the output, nats; NaN: not
  /// known yet. One number where the model's head looks at one row. Empty where both do not predict the same
  /// things, and then `no_divergence` says why.
  std::vector<double> divergences;
  std::string no_divergence;
  /// Null: not known yet, or there is none: one of the two predicts nothing there.
  std::shared_ptr<const PredictionPair> prediction;

  std::int64_t known = 0, count = 0;  // pieces of all of the above
  bool is_complete = false;
  double share() const { return count == 0 ? 0 : static_cast<double>(known) / static_cast<double>(count); }
};
using ModelDifferencePtr = std::shared_ptr<const ModelDifference>;

/// Which tokens correspond: of one vocabulary, by number; of two, by their words.
TokenMatch match_rows(const DifferenceQuestion&, AttentionOf queries_of);
TokenMatch match_keys(const DifferenceQuestion&, AttentionOf keys_of);

class ModelDifferences {
 public:
  /// `on_publish` is called on the worker after each published part: keep it short.
  explicit ModelDifferences(std::function<void()> on_publish = {}, SharedPool pool = {});
  ~ModelDifferences();
  ModelDifferences(const ModelDifferences&) = delete;
  ModelDifferences& operator=(const ModelDifferences&) = delete;

  /// Takes the place of what waits; what was asked last is not asked again.
  void submit(const DifferenceQuestion&);
  /// The newest, as far as it is known; null before the first.
  ModelDifferencePtr latest() const;
  /// Forgets what was computed and stops what runs.
  void forget();
  /// Stops what runs; what is known stays, and the next submit() begins anew.
  void cancel();
  bool busy() const;
  /// Blocks until nothing runs or waits.
  void wait_idle() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace attnscope
