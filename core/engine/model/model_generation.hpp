// core/engine: a text generated token by token: the prediction that each token was chosen from, and how much
// the row on screen reads of the key/value cache. Results that an appended token does not change are kept.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "core/engine/model/model_reading.hpp"
#include "core/engine/model/model_runs.hpp"

namespace attnscope {

/// One thread at a time.
class ModelGeneration {
 public:
  /// Whether the model generates text: a causal decoder that predicts the next token.
  static bool exists(const ModelSpec&);
  /// Begins with a run whose last `continued` tokens were appended; `row`: the row whose cache reads are
  /// wanted, by default the last.
  void begin(const Model&, ModelRunPtr, std::int64_t continued, std::optional<std::int64_t> row);
  bool is_done() const { return has_reads_ && next_ == std::ssize(known_.tokens); }
  /// Computes the reads, or the next tokens. Throws Cancelled.
  void step(const Model&, const Work&);
  /// The reading so far.
  std::shared_ptr<const GenerationReading> reading();

 private:
  ModelRunPtr run_;
  GenerationReading known_;
  std::shared_ptr<const GenerationReading> given_;  // a copy of known_, or null if it is outdated
  std::int64_t next_ = 0;                           // known_.tokens before this index are known
  bool has_reads_ = false;
};

}  // namespace attnscope
