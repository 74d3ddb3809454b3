// core/engine: comparison of two runs in the background (see core/readouts/pairs/head_difference.hpp): every
// head, the residual stream after every layer, every prediction. Partial results are published.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/base/parallel.hpp"
#include "core/engine/engine.hpp"
#include "core/engine/model/model_reading.hpp"
#include "core/readouts/pairs/head_difference.hpp"

namespace attnscope {

/// A run with its model and the words of its rows.
struct ComparedRun {
  OpenedModelPtr model;
  std::shared_ptr<const ModelTokens> tokens;
  std::shared_ptr<const ModelRun> run;
  std::shared_ptr<const RunNumbers> numbers = {};  // computed from the run, so not compared
  bool operator==(const ComparedRun& other) const {
    return model == other.model && tokens == other.tokens && run == other.run;
  }
};
/// The reading's run, with the changes inside the model. The reading must have no error.
ComparedRun compared_run(const ModelReading&);

struct DifferenceQuestion {
  ComparedRun a, b;
  /// Layer i of A is compared with layer i + shift of B.
  int shift = 0;
  std::int64_t row = -1;  // the row of A whose prediction is on screen; -1: none
  bool operator==(const DifferenceQuestion&) const = default;
};

/// The predictions of both, for A's row on screen and its counterpart in B: the corresponding row; if there
/// is none, or if the model's head reads one row only, the row that B predicts from by default.
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
  std::string error;  // a sentence why the two cannot be compared; then nothing below is set

  /// The comparison of an attention that both models have.
  struct Attention {
    AttentionOf of = AttentionOf::Decoder;
    TokenMatch queries, keys;
    /// Heads of each layer of A compared with those of B's layer; null: not known yet; empty if B has no such
    /// layer. Heads that B lacks are left out.
    std::vector<std::shared_ptr<const std::vector<HeadDifference>>> layers;
    /// ‖a − b‖ / ‖a‖ of the residual stream before the first layer, [0], and after each layer of A, [layer +
    /// 1], for each pair of rows; null as above. Empty if the streams have different widths, and for
    /// cross-attention.
    std::vector<std::shared_ptr<const std::vector<double>>> stream;
  };
  std::vector<Attention> attentions;
  const Attention* find(AttentionOf) const;
  /// Null if the head is not known yet or has no counterpart.
  const HeadDifference* head(AttentionOf, int block, std::int64_t head) const;

  /// KL(A ‖ B) of the predictions of each pair of rows of the stack that gives the output, nats; NaN: not
  /// known yet. One number if the model's head reads one row only. Empty if the predictions cannot be
  /// compared; `no_divergence` says why.
  std::vector<double> divergences;
  std::string no_divergence;
  /// Null: not known yet, or one of the two predicts nothing there.
  std::shared_ptr<const PredictionPair> prediction;

  std::int64_t known = 0, count = 0;  // number of pieces of the comparison
  bool is_complete = false;
  double share() const { return count == 0 ? 0 : static_cast<double>(known) / static_cast<double>(count); }
};
using ModelDifferencePtr = std::shared_ptr<const ModelDifference>;

/// The corresponding tokens: matched by number in one vocabulary, by their words in two.
TokenMatch match_rows(const DifferenceQuestion&, AttentionOf queries_of);
TokenMatch match_keys(const DifferenceQuestion&, AttentionOf keys_of);

class ModelDifferences final : public Engine<DifferenceQuestion, ModelDifference> {
 public:
  explicit ModelDifferences(std::function<void()> on_publish = {}, SharedPool pool = {});

  /// Replaces a waiting question; one equal to the last is ignored, unless that was cancelled: then the
  /// comparison goes on from what is known.
  void submit(const DifferenceQuestion& asked) { submit_another(asked); }
};

}  // namespace attnscope
