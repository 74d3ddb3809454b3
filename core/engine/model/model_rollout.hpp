// core/engine: the attention rollout of a run, a layer at a time.
#pragma once

#include <memory>

#include "core/engine/model/model_reading.hpp"
#include "core/engine/model/model_runs.hpp"

namespace attnscope {

/// One thread at a time.
class ModelRollout {
 public:
  /// Of this run and the self-attention of its stack that gives the output.
  void begin(const Model&, ModelRunPtr);
  bool is_done() const { return reading_ != nullptr; }
  double share() const;
  /// One layer more. Throws Cancelled.
  void step(const Model&, const Work&);
  /// [rows][rows] behind the last layer: how much of each input token is in a row. Null before the last step.
  const std::shared_ptr<const TensorOf<double>>& reading() const { return reading_; }

 private:
  ModelRunPtr run_;
  AttentionOf of_ = AttentionOf::Encoder;
  std::size_t layers_ = 0, known_ = 0;
  TensorOf<double> behind_;  // `known_` layers
  std::shared_ptr<const TensorOf<double>> reading_;
};

}  // namespace attnscope
