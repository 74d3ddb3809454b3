// core/attention: the backward pass, the stage table in reverse. Each family of stages has its backward
// function beside its forward one; here the settings choose between them, as run_stage.hpp does for the way
// forward.
//
// Every stage has a slot for the gradient of its tensor. The walk asks each stage whose slot is filled to
// empty it into the slots of what it reads and into the gradients of its parameters. A stage that shares the
// tensor of one before passes its gradient on as it is; one that no gradient has reached is left out. So a
// new stage needs its file, its row in the stage table, and a row in each of the two dispatches. Gradients
// change in place where nothing else reads them: no more n² tensors are alive than those that are kept, and
// one stage's.
#pragma once

#include <array>

#include "core/attention/sources.hpp"
#include "core/base/parallel.hpp"
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

/// Walks from the stages that were given a gradient to the first ones. `document` passed check(); `sources`
/// and `trace` are its numbers and its stages. The same bits whatever the number of threads. Throws
/// Cancelled.
template <class T>
void run_backward(const Work&, const Document& document, const Sources<T>& sources, const TraceOf<T>& trace,
                  StageGradients<T>& gradients);

}  // namespace attnscope
