// core/attention: from scores to attention weights.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "core/attention/blocks.hpp"
#include "core/base/parallel.hpp"
#include "core/base/tensor.hpp"
#include "core/document/mask.hpp"

namespace attnscope {

/// The terms of a row's softmax: weights = exp((x - largest) / temperature) / sum.
struct RowSum {
  double largest = 0;  // -inf when all values of the row are -inf: then sum and weights are 0
  double sum = 0;
  double sink = 0;  // the share of the sum that goes to no key
};

/// The sink logit that means "no sink": exp(-inf) adds nothing.
template <class T>
inline constexpr T no_sink = -std::numeric_limits<T>::infinity();

/// The softmax of one row. Stable: the largest value is subtracted first, so nothing overflows; -inf becomes
/// exactly 0; a NaN or +inf makes the whole row NaN, as in the formula. Naive: nothing is subtracted
/// (`largest` is returned as 0), so exp may overflow in T, which gives NaN. A row of -inf only becomes zeros
/// in both, see with_empty_rows(). Float: relative error of a weight below 1e-6 (see row_math.hpp). `sink`:
/// one more logit of the row, whose share goes to no key, so that the weights sum to less than 1 (gpt-oss;
/// Xiao et al. 2024, section 3.3, have the sink as a token); at 0 it adds 1 to the sum of exponentials.
template <class T>
RowSum softmax_row(SoftmaxKind kind, std::span<const T> masked, T temperature, std::span<T> weights,
                   T sink = no_sink<T>);

/// Softmax: A = softmax(M / temperature) along the keys (Vaswani et al. 2017, 3.2.1, with the temperature of
/// Hinton et al. 2015). masked [batch][heads][queries][keys]; same shape. `sinks` [heads] or null.
template <class T>
TensorOf<T> softmax(const Work&, SoftmaxKind kind, const TensorOf<T>& masked, T temperature,
                    const TensorOf<T>* sinks = nullptr);

/// Inputs and result of softmax(). If `weights` is null, they are computed again, row by row.
template <class T>
struct SoftmaxRun {
  SoftmaxKind kind;
  T temperature;
  const TensorOf<T>& masked;
  const TensorOf<T>* weights;
  const TensorOf<T>* sinks = nullptr;
};
/// Backward of softmax(), A = softmax(M / τ), in place: dM = A ∘ (dA - Σ dA·A) / τ along the keys, with sinks
/// too.
template <class T>
void softmax_backward(const Work&, const SoftmaxRun<T>&, OpenHeads, TensorOf<T>& gradient);
/// The gradient of the sinks, [heads]; the run must have sinks: ds = -Σ a·Σ dA·A / τ over the rows of a head,
/// a being the share of its sink and the inner sum along the keys. `gradient` is dA, before
/// softmax_backward() changes it.
template <class T>
TensorOf<T> sinks_backward(const Work&, const SoftmaxRun<T>&, OpenHeads, const TensorOf<T>& gradient);

/// `weights` with every row whose masked scores are all -inf made NaN or 1 / keys; `weights` itself if there
/// is no such row or the setting is zeros.
template <class T>
TensorPtrOf<T> with_empty_rows(EmptyRow, const TensorOf<T>& masked, const TensorPtrOf<T>& weights);

/// The mistake of masking after the softmax: weights of hidden keys become 0, the others are unchanged.
/// Same shape; `additive` as in mask().
template <class T>
TensorOf<T> hide_weights(const Work&, const TensorOf<T>& weights, const TensorPtrOf<T>& additive,
                         const MaskRule& rule);

/// Backward of hide_weights(), in place: hidden weights are constants, so their gradients become 0.
template <class T>
void hide_weights_backward(const Work&, const TensorPtrOf<T>& additive, const MaskRule& rule, OpenHeads,
                           TensorOf<T>& gradient);

}  // namespace attnscope
