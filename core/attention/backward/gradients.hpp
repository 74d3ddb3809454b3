// core/attention: the backward pass of the whole layer: the gradients of the loss with respect to all inputs
// and parameters. The formulas are at the backward function of each stage in core/attention; run_backward.hpp
// calls these. Checked against finite differences and PyTorch.
#pragma once

#include <vector>

#include "core/attention/sources.hpp"
#include "core/base/parallel.hpp"
#include "core/document/trace.hpp"

namespace attnscope {

/// d loss / d tensor for each tensor, in its shape; null where the Document has no such tensor. A mask,
/// dropout's choice, LSH buckets and the patterns of interventions (but Mean, the mean of the head's own
/// rows) count as constants. Rounding to the storage precision lets gradients pass unchanged.
template <class T>
struct GradientsOf {
  double loss = 0;
  TensorPtrOf<T> output;          // of the tensor that the loss reads: Y, C without W_O, X₂ of a block
  TensorPtrOf<T> weights;         // A as it mixes the values, after dropout: [batch][heads][queries][keys]
  TensorPtrOf<T> masked, scores;  // M and S, same shape; zeros for linear attention, which reads neither
  TensorPtrOf<T> query, key,
      value;  // Q, K (before QK-norm and rotary positions), V of all keys: [batch][heads or kv heads][n][d]
  TensorPtrOf<T> x;                           // token vectors with positions: [batch][tokens][d_model]
  TensorPtrOf<T> key_vectors, value_vectors;  // those of keys and values where they are not x
  Parameters<T> parameters;                   // of the weights; null for the position table

  TensorPtrOf<T>& operator[](Parameter which) { return parameters[which]; }
  const TensorPtrOf<T>& operator[](Parameter which) const { return parameters[which]; }
};
using Gradients = GradientsOf<float>;
using GradientsPtr = std::shared_ptr<const Gradients>;

/// `document` passed check() and has a loss; `sources` and `trace` are its numbers and its stages. Takes
/// about as long as two forward passes. Throws Cancelled.
template <class T>
GradientsOf<T> backward(const Work&, const Document& document, const Sources<T>& sources,
                        const TraceOf<T>& trace);

/// Gradient norms of one head: Frobenius norms of its columns of dW_Q, dW_K, dW_V (its group's columns for
/// grouped queries); without weights those of dQ, dK, dV over the batch.
struct HeadGradients {
  double query = 0, key = 0, value = 0;
  bool vanishing = false;  // a norm is 0 or below the limit: the head learns little compared with the others
  bool exploding = false;  // a norm is above the limit, or not finite
};
std::vector<HeadGradients> head_gradients(const Gradients&, const Dimensions&);

/// The size of gradients depends on the loss, the number of tokens and the widths, so fixed limits do not
/// work. The limits are 1/10,000 of and 10 times the median, over the heads that have a gradient, of each
/// head's largest finite norm.
struct GradientLimits {
  double vanishing = 0, exploding = 0;
};
GradientLimits gradient_limits(const std::vector<HeadGradients>&);

}  // namespace attnscope
