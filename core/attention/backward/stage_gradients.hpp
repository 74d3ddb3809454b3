// core/attention/backward: a slot for the gradient of each stage's tensor.
#pragma once

#include <array>
#include <memory>

#include "core/document/document.hpp"
#include "core/document/trace.hpp"

namespace attnscope {

/// Gradients of the stages' tensors, of parameters and of value vectors.
template <class T>
class StageGradients {
 public:
  using Values = TensorOf<T>;
  /// The gradients of `kept` stages stay after the walk; the others are freed once they are propagated.
  explicit StageGradients(Stages kept) : kept_(kept) {}

  /// Null where no gradient has reached the stage.
  TensorPtrOf<T> of(Stage stage) const { return slot(stage); }
  /// Adds to the gradients that other readers of the stage have given.
  void give(Stage stage, Values&& gradient);
  /// Gives the gradient of `from` to `to`, without a copy where `to` has none yet.
  void pass(Stage from, Stage to);
  /// The gradient of a stage, to be changed in place: moved out if nothing else needs it, else a copy.
  Values take(Stage stage);
  /// The gradient so far, or zeros of that shape, for readers that add piece by piece.
  Values& sum(Stage stage, const Shape& shape);
  /// Called after the step of a stage.
  void release(Stage stage) {
    if (!kept_.has(stage)) slot(stage).reset();
  }

  Parameters<T> parameters;
  TensorPtrOf<T> value_vectors;  // given vectors of the values, which are not the tensor of a stage

 private:
  using Slot = std::shared_ptr<Values>;
  Slot& slot(Stage stage) { return slots_[index_of(stage)]; }
  const Slot& slot(Stage stage) const { return slots_[index_of(stage)]; }

  Stages kept_;
  std::array<Slot, stage_count> slots_;
};

}  // namespace attnscope
