// core/transformer/positions: disentangled attention (DeBERTa: He et al. 2021, section 3.1). A score is the
// sum of three terms: content to content (Q·Kᵀ, stage Score), content to position (query with the key's
// relative position) and position to content (key with the query's relative position). The last two are one
// plane here, the Bias, with the scale of all three: 1/√(3·d_k).
//
// The paper writes row δ(j, i) in the third term; its authors' code, transformers, and so all released
// weights use row δ(i, j) there as well, and so does this code. Relative positions are projected by W_Q and
// W_K of the layer itself, biases included (share_att_key in DeBERTa v2 and v3); their logarithmic buckets
// are not supported.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/parallel.hpp"
#include "core/base/tensor.hpp"
#include "core/transformer/positions/settings.hpp"

namespace attnscope {

/// δ: the row of the 2k vectors for a query `distance` tokens after the key (negative: before it), with k =
/// span: distance + k, clamped to 0 … 2k - 1.
std::int64_t relative_row(std::int64_t distance, std::int64_t span);

/// The vectors of relative positions [1][2k][d_model] with k = span: `table` [2k][d_model], or, if it is
/// null, N(0, 0.5²) from the seed.
template <class T>
TensorOf<T> relative_vectors(std::int64_t span, std::int64_t d_model, const TensorOf<T>* table,
                             std::uint64_t seed);

/// The inputs of the plane. Heads share keys as in score() (core/attention/scores.hpp).
template <class T>
struct DisentangledRun {
  const TensorOf<T>& query;             // Q [batch][heads][queries][d_k], as for the scores
  const TensorOf<T>& key;               // K [batch][kv heads][keys][d_k]
  const TensorOf<T>* relative_query;    // Q_r [1][heads][2k][d_k]; null without position-to-content
  const TensorOf<T>* relative_key;      // K_r [1][kv heads][2k][d_k]; null without content-to-position
  std::span<const std::int64_t> first;  // [batch]: position of the first query among the keys
  std::int64_t token_keys;              // keys from here on get 0
  std::int64_t span;
  T scale;
};

/// Bias: B_ij = s·(Q_i · K_r[δ(i - j)] + K_j · Q_r[δ(i - j)]), [batch][heads][queries][keys].
template <class T>
TensorOf<T> disentangled_bias(const Work&, const DisentangledRun<T>&);

template <class T>
struct DisentangledGradients {
  TensorOf<T> query, key, relative_query, relative_key;  // the last two are empty if there is no such term
};
/// Backward of disentangled_bias(): dQ_i = s·Σ_j dB_ij·K_r[δ], dK_r[δ] = s·Σ dB_ij·Q_i over all cells of that
/// row, all heads of the group and all sequences; likewise dK_j and dQ_r[δ]. `open`: see OpenHeads in
/// core/attention/blocks.hpp.
template <class T>
DisentangledGradients<T> disentangled_backward(const Work&, const DisentangledRun<T>&,
                                               const TensorOf<T>& d_bias, std::span<const std::uint8_t> open);

}  // namespace attnscope
