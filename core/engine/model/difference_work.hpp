// core/engine: all that is worked out of one pair of runs, piece by piece, what is looked at first first.
#pragma once

#include <cstddef>

#include "core/engine/model/model_difference.hpp"

namespace attnscope {

/// One thread at a time.
class DifferenceWork {
 public:
  explicit DifferenceWork(const DifferenceQuestion& asked) { known_.asked = asked; }
  /// Finds out what there is to compare. What `before`, which may be null, knows of the same runs is kept.
  void begin(const ModelDifferencePtr& before);
  /// One piece more: the prediction that is looked at, a layer's heads, the prediction of another row. Throws
  /// Cancelled.
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
  bool has_prediction_ = false;            // or there is none
  std::size_t attention_ = 0, layer_ = 0;  // those before are known
  std::int64_t rows_ = 0;                  // known predictions, from the last pair of rows on
};

}  // namespace attnscope
