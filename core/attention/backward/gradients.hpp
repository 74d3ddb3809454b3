// core/attention: what the backward pass of the whole layer gives: how the loss changes with every number
// that went in. Formulas: at the backward function of each stage in core/attention, whose walk is
// run_backward.hpp; checked against finite differences and PyTorch.
#pragma once

#include <vector>

#include "core/attention/sources.hpp"
#include "core/base/parallel.hpp"
#include "core/document/trace.hpp"

namespace attnscope {

/// d loss / d tensor for each tensor, in its shape; null where the Document has no such tensor. A mask,
/// dropout's choice, LSH buckets, patterns put in by intervention (but the mean of own rows) and the storage
/// precision count as constants (rounding lets gradients pass unchanged).
template <class T>
struct GradientsOf {
  double loss = 0;
  TensorPtrOf<T> output;          // Y, C with given Q, K and V, X₂ of a block: what the loss is made of
  TensorPtrOf<T> weights;         // A as it mixes the values, after dropout: [batch][heads][queries][keys]
  TensorPtrOf<T> masked, scores;  // M and S, same shape; zeros for linear attention, which reads neither
  TensorPtrOf<T> query, key,
      value;  // Q, K (before QK-norm and rotary positions), V of all keys: [batch][heads or kv heads][n][d]
  TensorPtrOf<T> x;                           // token vectors, through positions: [batch][tokens][d_model]
  TensorPtrOf<T> key_vectors, value_vectors;  // those of keys and values when they are not x
  Parameters<T> parameters;                   // of the weights; the table of positions has none

  TensorPtrOf<T>& operator[](Parameter which) { return parameters[which]; }
  const TensorPtrOf<T>& operator[](Parameter which) const { return parameters[which]; }
};
using Gradients = GradientsOf<float>;
using GradientsPtr = std::shared_ptr<const Gradients>;

/// `document` passed check() and asks for a loss; `sources` and `trace` are its numbers and its stages. Needs
/// about the time of two forward passes. Throws Cancelled.
template <class T>
GradientsOf<T> backward(const Work&, const Document& document, const Sources<T>& sources,
                        const TraceOf<T>& trace);

/// How large the gradients of one head's weights are: Frobenius norms of its columns of dW_Q, dW_K, dW_V (of
/// its group's for grouped queries); of dQ, dK, dV, over the batch, where there are no weights.
struct HeadGradients {
  double query = 0, key = 0, value = 0;
  bool vanishing = false;  // one of them is 0 or below the limit: the head hardly learns beside the others
  bool exploding = false;  // one of them is above the limit, or not finite
};
std::vector<HeadGradients> head_gradients(const Gradients&, const Dimensions&);

/// How large a gradient is depends on the loss, on the number of tokens and on the widths, so that no fixed
/// number tells what is small. Limits are relative to the layer: a ten-thousandth and ten times the median,
/// over the heads that have a gradient, of each head's largest finite norm.
struct GradientLimits {
  double vanishing = 0, exploding = 0;
};
GradientLimits gradient_limits(const std::vector<HeadGradients>&);

}  // namespace attnscope
