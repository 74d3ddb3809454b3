// core/blocks: the stages of a block around its attention layer: norms, residual additions and the MLP,
// forward and backward side by side. BlockSettings say which of them exist. Attention itself is in
// core/attention, which calls run_block_stage() for the other stages.
#pragma once

#include <utility>
#include <vector>

#include "core/base/parallel.hpp"
#include "core/document/document.hpp"
#include "core/document/trace.hpp"

namespace attnscope {

/// A Document that passed check(), its parameters in T, and the stages computed so far.
template <class T>
struct BlockRun {
  const Document& document;
  const Parameters<T>& parameters;
  const TraceOf<T>& trace;
};

/// The tensor of `stage`, for which is_of_block() holds: null where it does not exist; the tensor of the
/// previous stage where it changes nothing. Norms and activations are computed row by row, products with sums
/// in T; results are not yet rounded to the Document's precision. Throws Cancelled.
template <class T>
TensorPtrOf<T> run_block_stage(const Work&, Stage stage, const BlockRun<T>&);

/// The gradients of the stages that a stage reads, in their shapes, and of its parameters.
template <class T>
struct BlockGradients {
  std::vector<std::pair<Stage, TensorOf<T>>> stages;
  Parameters<T> parameters;
};

/// Backward of a stage that changes something. Sums: the gradient goes to both addends; for the token vectors
/// it is 0 in the rows of cached tokens. Norms: see normalise_backward(). Products y = x·W + b: dx = dy·Wᵀ,
/// dW = Σ xᵀ·dy, db = Σ dy over the batch. Activation f(u): du = dj·f′(u); gated f(t)·u: dt = dj·u·f′(t), du
/// = dj·f(t). Throws Cancelled.
template <class T>
BlockGradients<T> block_stage_backward(const Work&, Stage stage, const BlockRun<T>&,
                                       const TensorOf<T>& d_stage);

}  // namespace attnscope
