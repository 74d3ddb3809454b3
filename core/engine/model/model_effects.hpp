// core/engine: the effects of each head and of each change on the prediction, computed piece by piece and
// kept while the text and the predicted row are the same.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/engine/model/model_reading.hpp"
#include "core/engine/model/model_runs.hpp"

namespace attnscope {

/// Whether the model predicts tokens or classes, on which heads have effects.
bool predicts(const ModelSpec&);
/// The logits of a row of a run: of next or masked tokens, or of the classes of a token. If the model's head
/// reads one row only, the run's logits. The model must have logits. Throws Cancelled.
std::vector<float> predicted_logits(const Model&, const ModelRun&, std::int64_t row, const Work&);

/// The text and row of a prediction.
struct PredictionAt {
  std::shared_ptr<const ModelTokens> tokens;  // compared by pointer
  std::int64_t row = -1;
  bool operator==(const PredictionAt&) const = default;
};

/// Ablation of each head alone, one block per step, from the last block, which costs least. Not thread-safe.
class HeadEffects {
 public:
  void begin(const Model&, const PredictionAt&);
  bool is_done() const { return blocks_left_ == 0; }
  double share() const;
  /// The next block. `clean`: the run of the text without changes. Throws Cancelled.
  void step(const Model&, const ModelRun& clean, const Work&);
  std::shared_ptr<const EffectsReading> reading() const {
    return std::make_shared<const EffectsReading>(known_);
  }

 private:
  PredictionAt at_;
  EffectsReading known_;
  int blocks_left_ = 0;  // blocks [0, blocks_left_) are not known yet
  double seconds_ = 0;   // total time of the steps
};

/// The expected seconds of HeadPruning, from the seconds that the effects, all known, took: the time per
/// block that an ablated version runs is the same.
double expected_pruning_seconds(const EffectsReading&, double seconds);

/// Removes heads one after the other in the order of their single effects, and, at fewer counts, in a random
/// order. Not thread-safe.
class HeadPruning {
 public:
  /// All `effects` must be known.
  void begin(const PredictionAt&, const EffectsReading& effects);
  bool is_done() const { return at_.row >= 0 && known_.is_whole(); }
  bool has_begun(const PredictionAt& at) const { return at_ == at; }
  double share() const;
  /// The next counts of heads. Throws Cancelled.
  void step(const Model&, const ModelRun& clean, const Work&);
  std::shared_ptr<const PruningReading> reading() const {
    return std::make_shared<const PruningReading>(known_);
  }

 private:
  std::vector<std::size_t> next_counts() const;
  void step_random(const Model&, const ModelRun& clean, const Work&);

  PredictionAt at_;
  PruningReading known_;
};

/// The effect of each change alone. Not thread-safe.
class ChangeEffects {
 public:
  void begin(const PredictionAt&, const ModelChanges&);
  bool is_done() const { return next_ == singles_.size(); }
  double share() const;
  /// The next change. `before`: logits without changes. Throws Cancelled.
  void step(const Model&, const ModelRun& clean, const std::vector<float>& before, const Work&);
  std::shared_ptr<const ChangesAlone> reading() const;

 private:
  void skip_known();
  double* find(const ModelChanges& single);

  PredictionAt at_;
  std::vector<ModelChanges> singles_;                   // blocks, then heads
  std::size_t next_ = 0;                                // singles_ before this are known
  std::vector<std::pair<ModelChanges, double>> known_;  // of this text and row
};

}  // namespace attnscope
