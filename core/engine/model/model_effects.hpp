// core/engine: what the prediction owes to each head and to each change, worked out piece by piece and kept
// as long as the text and the row whose prediction it is about are the same.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/engine/model/model_reading.hpp"
#include "core/engine/model/model_runs.hpp"

namespace attnscope {

/// Whether the model predicts something, of which heads have effects: tokens or classes.
bool predicts(const ModelSpec&);
/// Logits of what a run predicts in a row: of next or masked tokens or the classes of a token; of models
/// whose head looks at one row those are the run's. The model must have logits. Throws Cancelled.
std::vector<float> predicted_logits(const Model&, const ModelRun&, std::int64_t row, const Work&);

/// Whose prediction a question is about.
struct PredictionAt {
  std::shared_ptr<const ModelTokens> tokens;  // the same pointer: the same text
  std::int64_t row = -1;
  bool operator==(const PredictionAt&) const = default;
};

/// Ablation of each head alone, a block at a time: the last one first, which costs least. One thread at a
/// time.
class HeadEffects {
 public:
  void begin(const Model&, const PredictionAt&);
  bool is_done() const { return blocks_left_ == 0; }
  double share() const;
  /// One block more. `clean`: the run of the text without changes. Throws Cancelled.
  void step(const Model&, const ModelRun& clean, const Work&);
  std::shared_ptr<const EffectsReading> reading() const {
    return std::make_shared<const EffectsReading>(known_);
  }

 private:
  PredictionAt at_;
  EffectsReading known_;
  int blocks_left_ = 0;  // blocks [0, blocks_left_) are not known
  double seconds_ = 0;   // that its steps took
};

/// The seconds that HeadPruning is expected to take where the effects, all known, took so many: as long for
/// each block that an ablated version passes.
double expected_pruning_seconds(const EffectsReading&, double seconds);

/// Heads removed one after the other, in the order of their effects alone; and fewer counts of them in a
/// random order. One thread at a time.
class HeadPruning {
 public:
  /// `effects`: all of them known.
  void begin(const PredictionAt&, const EffectsReading& effects);
  bool is_done() const { return at_.row >= 0 && known_.is_whole(); }
  bool has_begun(const PredictionAt& at) const { return at_ == at; }
  double share() const;
  /// A few counts of heads more. Throws Cancelled.
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

/// Each change alone. One thread at a time.
class ChangeEffects {
 public:
  void begin(const PredictionAt&, const ModelChanges&);
  bool is_done() const { return next_ == singles_.size(); }
  double share() const;
  /// One change more. `before`: logits without changes. Throws Cancelled.
  void step(const Model&, const ModelRun& clean, const std::vector<float>& before, const Work&);
  std::shared_ptr<const ChangesAlone> reading() const;

 private:
  void skip_known();
  double* find(const ModelChanges& single);

  PredictionAt at_;
  std::vector<ModelChanges> singles_;                   // blocks, then heads
  std::size_t next_ = 0;                                // singles before it are known
  std::vector<std::pair<ModelChanges, double>> known_;  // of this text and row
};

}  // namespace attnscope
