// core/engine: the comparison of one pair of runs, piece by piece, beginning with what is on screen.
#pragma once

#include <cstddef>

#include "core/engine/model/model_difference.hpp"

namespace attnscope {

/// One thread at a time.
class DifferenceWork {
 public:
  explicit DifferenceWork(const DifferenceQuestion& asked) { known_.asked = asked; }
  /// Plans the comparison. Results of `before` (or null) for the same runs are kept.
  void begin(const ModelDifferencePtr& before);
  /// Computes the next piece: the prediction on screen, a layer's heads, or the prediction of another row.
  /// Throws Cancelled.
  void step(const Work&);
  const ModelDifference& known() const { return known_; }

 private:
  const ModelDifference::Attention& output() const;
  void go_on_from(const ModelDifference& before);
  void plan_attention(AttentionOf);
  void plan_predictions();
  void compare_prediction(const Work&);
  void compare_layer(ModelDifference::Attention&, const Work&);
  void compare_row(const Work&);

  ModelDifference known_;
  bool has_prediction_ = false;            // known, or there is none
  std::size_t attention_ = 0, layer_ = 0;  // those before these are known
  std::int64_t rows_ = 0;                  // number of known predictions, counted from the last pair of rows
};

}  // namespace attnscope
