// core/engine: the norms ‖v·W_O‖ of the values of all heads, with which a head's picture shows contributions,
// ‖α·v·W_O‖, instead of weights.
#pragma once

#include <map>
#include <memory>
#include <utility>

#include "core/engine/model/model_reading.hpp"
#include "core/engine/model/model_runs.hpp"

namespace attnscope {

/// Whether the model has this attention.
bool has_attention(const ModelSpec&, AttentionOf);

/// One thread at a time.
class ModelValues {
 public:
  void begin(ModelRunPtr);
  bool is_done(const ModelRunPtr& run) const { return run == run_ && norms_ != nullptr; }
  /// Computes all norms of the run, and what is usual among them. Takes longer the first time for a model,
  /// since W_O is multiplied with itself; finished products are kept when it is stopped. Throws Cancelled.
  void step(const Model&, const Work&);
  /// Null before step().
  const std::shared_ptr<const ValueNorms>& reading() const { return norms_; }
  /// usual_contribution() of these norms; 1 before step().
  float usual() const { return usual_; }

 private:
  const TensorOf<double>& squares(const Model&, AttentionOf, std::size_t block, const Work&);

  ModelRunPtr run_;
  std::shared_ptr<const ValueNorms> norms_;
  float usual_ = 1;
  std::map<std::pair<AttentionOf, std::size_t>, TensorOf<double>> squares_;
};

}  // namespace attnscope
