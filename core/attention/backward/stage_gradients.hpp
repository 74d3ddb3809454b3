// core/attention/backward: a slot for the gradient of each stage's tensor.
#pragma once

#include <array>
#include <memory>

#include "core/document/document.hpp"
#include "core/document/trace.hpp"

namespace attnscope {

/// Gradients of the tensors of stages, and of what is read besides.
template <class T>
class StageGradients {
 public:
  using Values = TensorOf<T>;
  /// The gradients of `kept` stages stay after the walk; the others go as soon as they were passed on.
  explicit StageGradients(Stages kept) : kept_(kept) {}

  /// Null where no gradient has reached the stage.
  TensorPtrOf<T> of(Stage stage) const { return slot(stage); }
  /// Adds to what has come from other readers of the stage.
  void give(Stage stage, Values&& gradient);
  /// The same gradient for another stage.
  void pass(Stage from, Stage to);
  /// The gradient of a stage, to be changed: its own where nothing else needs it any more, else a copy.
  Values take(Stage stage);
  /// What readers that add piece by piece add to: the gradient so far, or zeros of that shape.
  Values& sum(Stage stage, const Shape& shape);
  /// After a stage was asked.
  void release(Stage stage) {
    if (!kept_.has(stage)) slot(stage).reset();
  }

  Parameters<T> parameters;
  TensorPtrOf<T> value_vectors;  // a source of its own, not the tensor of a stage

 private:
  using Slot = std::shared_ptr<Values>;
  Slot& slot(Stage stage) { return slots_[index_of(stage)]; }
  const Slot& slot(Stage stage) const { return slots_[index_of(stage)]; }

  Stages kept_;
  std::array<Slot, stage_count> slots_;
};

}  // namespace attnscope
