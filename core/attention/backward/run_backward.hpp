// core/attention/backward: the backward pass, the stage table in reverse. Each family of stages has its
// backward function beside its forward one; here the settings choose between them, as run_stage.hpp does for
// the way forward.
//
// Every stage has a slot for the gradient of its tensor. For each stage whose slot is filled, the walk
// propagates the gradient to the slots of the stages it reads and to the gradients of its parameters. A stage
// that shares the tensor of an earlier one passes its gradient on unchanged; a stage that no gradient has
// reached is skipped. A new stage needs its file, its row in the stage table, and a row in each of the two
// dispatches. Gradients are changed in place where nothing else reads them, so the only n² tensors alive are
// the kept ones and those of one stage.
#pragma once

#include "core/attention/backward/stage_gradients.hpp"
#include "core/attention/sources.hpp"
#include "core/base/parallel.hpp"
#include "core/document/trace.hpp"

namespace attnscope {

/// Walks from the stages that were given a gradient to the first ones. `document` passed check(); `sources`
/// and `trace` are its numbers and its stages. The bits do not depend on the number of threads. Throws
/// Cancelled.
template <class T>
void run_backward(const Work&, const Document& document, const Sources<T>& sources, const TraceOf<T>& trace,
                  StageGradients<T>& gradients);

}  // namespace attnscope
