// core/attention/backward: the backward pass, the stage table in reverse. Each family of stages has its
// backward function beside its forward one; here the settings choose between them, as run_stage.hpp does for
// the way forward.
//
// Every stage has a slot for the gradient of its tensor. The walk asks each stage whose slot is filled to
// empty it into the slots of what it reads and into the gradients of its parameters. A stage that shares the
// tensor of one before passes its gradient on as it is; one that no gradient has reached is left out. So a
// new stage needs its file, its row in the stage table, and a row in each of the two dispatches. Gradients
// change in place where nothing else reads them: no more n² tensors are alive than those that are kept, and
// one stage's.
#pragma once

#include "core/attention/backward/stage_gradients.hpp"
#include "core/attention/sources.hpp"
#include "core/base/parallel.hpp"
#include "core/document/trace.hpp"

namespace attnscope {

/// Walks from the stages that were given a gradient to the first ones. `document` passed check(); `sources`
/// and `trace` are its numbers and its stages. The same bits whatever the number of threads. Throws
/// Cancelled.
template <class T>
void run_backward(const Work&, const Document& document, const Sources<T>& sources, const TraceOf<T>& trace,
                  StageGradients<T>& gradients);

}  // namespace attnscope
