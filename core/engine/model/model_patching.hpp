// core/engine: activation patching of a pair of texts, computed piece by piece: first an estimate for every
// head, then each head in all rows, then row by row, heads with the largest effects first.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/engine/model/model_effects.hpp"
#include "core/engine/model/model_engine.hpp"
#include "core/engine/model/model_runs.hpp"

namespace attnscope {

/// One thread at a time.
class ModelPatching {
 public:
  /// Begins with the clean run of `tokens` and the corrupted text of `wants`.
  void begin(const OpenedModel&, std::shared_ptr<const ModelTokens> tokens, ModelRunPtr clean,
             std::int64_t row, const ModelWants& wants);
  bool is_done() const { return is_done_; }
  /// Whether the results belong to this text and row.
  bool has_begun(const PredictionAt& at) const { return at == PredictionAt{tokens_, row_}; }
  double share() const;
  /// The next piece. Throws Cancelled.
  void step(const OpenedModel&, const Work&);
  std::shared_ptr<const PatchingReading> reading() const {
    return std::make_shared<const PatchingReading>(known_);
  }

 private:
  void run_corrupted(const OpenedModel&, const Work&);
  void patch_block(const Model&, const Work&);
  void patch_rows(const Model&, const Work&);
  std::optional<std::size_t> next_head() const;

  std::shared_ptr<const ModelTokens> tokens_;
  ModelRunPtr clean_;
  std::int64_t row_ = -1;
  ModelText text_;  // the corrupted one
  std::optional<std::int64_t> wanted_answer_, wanted_other_;
  ModelRunPtr corrupted_;  // null: not run yet
  PatchingReading known_;
  int blocks_left_ = 0;  // blocks [0, blocks_left_) have heads not yet patched in all rows
  bool is_done_ = true;
};

}  // namespace attnscope
