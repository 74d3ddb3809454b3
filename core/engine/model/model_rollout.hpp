// core/engine: the attention rollout of a run, a layer at a time.
#pragma once

#include <memory>

#include "core/engine/model/model_reading.hpp"
#include "core/engine/model/model_runs.hpp"

namespace attnscope {

/// One thread at a time.
class ModelRollout {
 public:
  /// Begins with a run and the self-attention of its output stack.
  void begin(const Model&, ModelRunPtr);
  bool is_done() const { return reading_ != nullptr; }
  double share() const;
  /// The next layer. Throws Cancelled.
  void step(const Model&, const Work&);
  /// [rows][rows] after the last layer: the share of each input token in each row. Null before the last step.
  const std::shared_ptr<const TensorOf<double>>& reading() const { return reading_; }

 private:
  ModelRunPtr run_;
  AttentionOf of_ = AttentionOf::Encoder;
  std::size_t layers_ = 0, known_ = 0;
  TensorOf<double> behind_;  // the rollout of the first `known_` layers
  std::shared_ptr<const TensorOf<double>> reading_;
};

}  // namespace attnscope
