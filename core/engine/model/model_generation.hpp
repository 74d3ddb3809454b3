// core/engine: a text that went on token by token: the prediction that each token was chosen from, and what
// the row that is looked at reads of the key/value cache. What an appended token leaves as it was stays
// known.
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
  /// Whether the model goes on with its text: a decoder that predicts the next token.
  static bool exists(const ModelSpec&);
  /// Of this run from now on, the last `continued` tokens of which were appended; `row`: whose reads, in
  /// place of the last one's.
  void begin(const Model&, ModelRunPtr, std::int64_t continued, std::optional<std::int64_t> row);
  bool is_done() const { return has_reads_ && next_ == std::ssize(known_.tokens); }
  /// The reads, or a few tokens more. Throws Cancelled.
  void step(const Model&, const Work&);
  /// As far as it is known.
  std::shared_ptr<const GenerationReading> reading();

 private:
  ModelRunPtr run_;
  GenerationReading known_;
  std::shared_ptr<const GenerationReading> given_;  // a copy of it as it is, or null
  std::int64_t next_ = 0;                           // of known_.tokens, those before it are known
  bool has_reads_ = false;
};

}  // namespace attnscope
