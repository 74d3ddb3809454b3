// core/stages: from scores to attention weights, and what the weights mix.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>

#include "core/mask.hpp"
#include "core/parallel.hpp"
#include "core/stages/positions.hpp"
#include "core/tensor.hpp"

namespace attnscope {

/// What the softmax of a row is made of: weights = exp((x - largest) / temperature) / sum.
struct RowSum {
  double largest = 0;  // -inf when every value of the row is: then sum and weights are 0
  double sum = 0;
};

/// One row. Stable: the largest value is subtracted first, so nothing overflows; -inf becomes exactly 0; a
/// NaN or +inf makes the whole row NaN, as the formula has it. Naive: `largest` counts as 0, so that exp
/// overflows in T and the row holds NaN where it did. A row of nothing but -inf becomes zeros in both, see
/// with_empty_rows(). Float:
/// relative error of a weight below 1e-6 (see row_math.hpp).
template <class T>
RowSum softmax_row(SoftmaxKind kind, std::span<const T> masked, T temperature, std::span<T> weights);

/// Softmax: A = softmax(M / temperature) along the keys (Vaswani et al. 2017, 3.2.1, with the temperature of
/// Hinton et al. 2015). masked [batch][heads][queries][keys]; same shape.
template <class T>
TensorOf<T> softmax(const Work&, SoftmaxKind kind, const TensorOf<T>& masked, T temperature);

/// `weights` with every row whose masked scores are all -inf made NaN or 1 / keys; `weights` itself where
/// there is no such row, or where they are to be zeros.
template <class T>
TensorPtrOf<T> with_empty_rows(EmptyRow, const TensorOf<T>& masked, const TensorPtrOf<T>& weights);

/// The mistake of masking after the softmax: weights of hidden keys become 0, the others stay as they are.
/// Same shape; `additive` as in mask().
template <class T>
TensorOf<T> hide_weights(const Work&, const TensorOf<T>& weights, const TensorPtrOf<T>& additive,
                         const MaskRule& rule);

/// φ(x) = elu(x) + 1 = x + 1 above 0, e^x below: the feature map of linear attention.
template <class T>
T linear_feature(T x) {
  return x > 0 ? x + 1 : std::exp(x);
}

/// φ of every number, [batch][heads][rows][d_k], each row turned by `rotation` unless that is null.
template <class T>
TensorOf<T> linear_features(const Work&, const TensorOf<T>& x, const Rotation<T>* rotation);

/// What linear attention reads: Q and K before rotary positions, and these. Null = none.
template <class T>
struct LinearOperands {
  const TensorOf<T>& query;  // [batch][heads][queries][d_k]
  const TensorOf<T>& key;    // [batch][kv heads][keys][d_k]
  const Rotation<T>*query_rotation = nullptr, *key_rotation = nullptr;
};

/// Linear: the weights that linear attention implies (Katharopoulos et al. 2020, equations 4 and 7): L_ij =
/// φ(q_i)·φ(k_j) / Σ_j φ(q_i)·φ(k_j) over the keys the query may see, φ(x) = elu(x) + 1 = x + 1 above 0, e^x
/// below. Rotary positions turn φ(q) and φ(k) in the numerator alone (Su et al. 2021, equation 19): then
/// weights may be negative, and rows need not sum to 1. Neither scale nor temperature takes part. The result
/// is [batch][heads][queries][keys].
template <class T>
TensorOf<T> linear_weights(const Work&, const LinearOperands<T>&, const TensorPtrOf<T>& additive,
                           const MaskRule& rule);

/// Drop: inverted dropout. Every weight becomes 0 with probability `rate`, the others grow by 1 / (1 - rate).
/// Which ones depends on the seed and the place alone. Same shape.
template <class T>
TensorOf<T> drop(const Work&, const TensorOf<T>& weights, const Dropout& dropout);
/// Whether dropout keeps weight number `index` of the tensor.
bool keeps(const Dropout& dropout, std::int64_t index);

/// Mix: A·V per head. weights [batch][heads][queries][keys], value [batch][kv heads][keys][d_v]; the result
/// is [batch][heads][queries][d_v].
template <class T>
TensorOf<T> mix(const Work&, const TensorOf<T>& weights, const TensorOf<T>& value);

}  // namespace attnscope
