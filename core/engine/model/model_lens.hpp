// core/engine: the logit lens of a whole text, made a few rows at a time: the last row first, which is the
// one that a person types at; rows that an edit left as they were stay known.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/engine/model/model_reading.hpp"
#include "core/engine/model/model_runs.hpp"

namespace attnscope {

/// One thread at a time.
class ModelLens {
 public:
  /// Whether the model has a lens at all: logits of tokens.
  static bool exists(const ModelSpec&);
  /// Of this run from now on. Of the one before, cells stay that see the same numbers.
  void begin(const Model&, ModelRunPtr);
  bool is_done() const { return open_rows_ == 0 && is_inside_; }
  /// How much of it is known, 0 … 1.
  double share() const;
  /// Some more rows: as many as take a few hundredths of a second. Throws Cancelled.
  void step(const Model&, const Work&);
  /// As far as it is known.
  std::shared_ptr<const LensReading> reading();

 private:
  bool is_meant(std::size_t place) const { return is_inside_ || !known_.places[place].behind_attention; }
  bool is_known(std::int64_t row) const;
  void skip_known();
  void fill(const Model&, std::int64_t begin, std::int64_t end, const Work&);

  ModelRunPtr run_;
  LensReading known_;
  std::shared_ptr<const LensReading> given_;  // a copy of it as it is, or null
  bool is_inside_ = true;                     // all places are being filled, not those behind blocks alone
  std::int64_t open_rows_ = 0;  // rows [0, open_rows_) have cells of these places that are not known
  double seconds_per_row_ = 0;  // as the last step took
};

}  // namespace attnscope
