// core/attention: linear attention, as the weights that it implies.
#pragma once

#include <cmath>

#include "core/attention/blocks.hpp"
#include "core/attention/positions.hpp"
#include "core/base/parallel.hpp"
#include "core/base/tensor.hpp"
#include "core/document/mask.hpp"

namespace attnscope {

/// φ(x) = elu(x) + 1 = x + 1 above 0, e^x below: the feature map of linear attention.
template <class T>
T linear_feature(T x) {
  return x > 0 ? x + 1 : std::exp(x);
}

/// φ of every number, [batch][heads][rows][d_k], each row rotated by `rotation` unless that is null.
template <class T>
TensorOf<T> linear_features(const Work&, const TensorOf<T>& x, const Rotation<T>* rotation);

/// The inputs of linear attention: Q and K before rotary positions, and the rotations; null = none.
template <class T>
struct LinearOperands {
  const TensorOf<T>& query;  // [batch][heads][queries][d_k]
  const TensorOf<T>& key;    // [batch][kv heads][keys][d_k]
  const Rotation<T>*query_rotation = nullptr, *key_rotation = nullptr;
};

/// Linear: the weights that linear attention implies (Katharopoulos et al. 2020, equations 4 and 7): L_ij =
/// φ(q_i)·φ(k_j) / Σ_j φ(q_i)·φ(k_j) over the keys the query may see, φ(x) = elu(x) + 1 = x + 1 above 0, e^x
/// below. Rotary positions rotate φ(q) and φ(k) in the numerator only (Su et al. 2021, equation 19): then
/// weights may be negative, and rows need not sum to 1. Scale and temperature have no effect. The result is
/// [batch][heads][queries][keys].
template <class T>
TensorOf<T> linear_weights(const Work&, const LinearOperands<T>&, const TensorPtrOf<T>& additive,
                           const MaskRule& rule);

/// Inputs and result of linear_weights().
template <class T>
struct LinearRun {
  LinearOperands<T> of;
  const TensorPtrOf<T>& additive;
  const MaskRule& rule;
  const TensorOf<T>& weights;  // L
};
template <class T>
struct LinearGradients {
  TensorOf<T> query, key;  // [batch][heads][queries][d_k], [batch][kv heads][keys][d_k]
};
/// Backward of linear_weights(). L_ij = n_ij / z_i with n_ij = Rφ(q_i)·Rφ(k_j) and z_i = Σ_j φ(q_i)·φ(k_j)
/// over the keys that are seen: dn = dL / z and dz = -Σ_j dL·L / z; then dφ as in score_backward(), rotated
/// back in the numerator, and φ' = 1 above 0, e^x below. d_weights [batch][heads][queries][keys].
template <class T>
LinearGradients<T> linear_backward(const Work&, const LinearRun<T>&, const TensorOf<T>& d_weights, OpenHeads);

}  // namespace attnscope
