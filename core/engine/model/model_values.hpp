// core/engine: how long the values of all heads are behind W_O: with it a head's picture shows what its
// weights add, ‖α·v·W_O‖, instead of the weights alone.
#pragma once

#include <map>
#include <memory>
#include <utility>

#include "core/engine/model/model_reading.hpp"
#include "core/engine/model/model_runs.hpp"

namespace attnscope {

/// Whether the model has such an attention.
bool has_attention(const ModelSpec&, AttentionOf);

/// One thread at a time.
class ModelValues {
 public:
  void begin(ModelRunPtr);
  bool is_done(const ModelRunPtr& run) const { return run == run_ && norms_ != nullptr; }
  /// All of the run. The first time of a model it takes longer, since W_O is multiplied with itself; what of
  /// that is done stays when it is stopped. Throws Cancelled.
  void step(const Model&, const Work&);
  /// Null before step().
  const std::shared_ptr<const ValueNorms>& reading() const { return norms_; }

 private:
  const TensorOf<double>& squares(const Model&, AttentionOf, std::size_t block, const Work&);

  ModelRunPtr run_;
  std::shared_ptr<const ValueNorms> norms_;
  std::map<std::pair<AttentionOf, std::size_t>, TensorOf<double>> squares_;
};

}  // namespace attnscope
