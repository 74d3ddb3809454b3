// core/engine: the logit lens of a whole text, computed a few rows per step, from the last row, where the
// user types; rows that an edit does not change are kept.
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
  /// Whether the model has a lens: its head gives logits of tokens.
  static bool exists(const ModelSpec&);
  /// Begins with a run. Cells of the previous run that depend on unchanged numbers are kept.
  void begin(const Model&, ModelRunPtr);
  bool is_done() const { return open_rows_ == 0 && is_inside_; }
  /// The known share, 0 … 1.
  double share() const;
  /// The next rows, as many as take a few hundredths of a second. Throws Cancelled.
  void step(const Model&, const Work&);
  /// The reading so far.
  std::shared_ptr<const LensReading> reading();

 private:
  bool is_meant(std::size_t place) const { return is_inside_ || !known_.places[place].behind_attention; }
  bool is_known(std::int64_t row) const;
  void skip_known();
  void fill(const Model&, std::int64_t begin, std::int64_t end, const Work&);

  ModelRunPtr run_;
  LensReading known_;
  std::shared_ptr<const LensReading> given_;  // a copy of known_, or null if it is outdated
  bool is_inside_ = true;                     // fills all places, not only those after blocks
  std::int64_t open_rows_ = 0;  // only rows [0, open_rows_) may have unknown cells of these places
  double seconds_per_row_ = 0;  // of the last step
};

}  // namespace attnscope
