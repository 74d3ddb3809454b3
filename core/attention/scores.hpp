// core/attention: from the scores to the masked logits. Query head h reads key head h / (heads / kv heads)
// (grouped queries: Ainslie et al. 2023).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/attention/blocks.hpp"
#include "core/base/parallel.hpp"
#include "core/base/tensor.hpp"
#include "core/document/mask.hpp"

namespace attnscope {

/// Score: S = Q·Kᵀ. query [batch][heads][queries][d_k], key [batch][kv heads][keys][d_k]; the result is
/// [batch][heads][queries][keys].
template <class T>
TensorOf<T> score(const Work&, const TensorOf<T>& query, const TensorOf<T>& key);

template <class T>
struct ScoreGradients {
  TensorOf<T> query, key;  // [batch][heads][queries][d_k], [batch][kv heads][keys][d_k]
};
/// Backward of score(), S = Q·Kᵀ: dQ = dS·K, and dK = Σ dSᵀ·Q over the query heads that share K. d_scores
/// [batch][heads][queries][keys].
template <class T>
ScoreGradients<T> score_backward(const Work&, const TensorOf<T>& query, const TensorOf<T>& key,
                                 const TensorOf<T>& d_scores, OpenHeads);

/// Scale: every score times `factor`, 1/sqrt(d_k) in Vaswani et al. 2017, 3.2.1. Same shape.
template <class T>
TensorOf<T> scale(const Work&, const TensorOf<T>& scores, double factor);
/// Backward of scale(), S′ = s·S, in place: dS = s·dS′.
template <class T>
void scale_backward(const Work&, double factor, OpenHeads, TensorOf<T>& gradient);

/// Cap: c·tanh(x / c) keeps every scaled score inside (-c, c) (Gemma Team 2024, section 2). c > 0; same
/// shape.
template <class T>
TensorOf<T> cap(const Work&, const TensorOf<T>& scaled, T c);
/// Backward of cap(), G = c·tanh(S′ / c), in place: dS′ = dG ∘ (1 - (G / c)²). `capped` is G.
template <class T>
void cap_backward(const Work&, const TensorOf<T>& capped, T c, OpenHeads, TensorOf<T>& gradient);

/// Mask: M = capped + bias + additive where the query may see the key; scores of hidden keys, NaN included,
/// are replaced by the rule's hidden value, unless the rule adds it. Same shape. If the rule masks after the
/// softmax, nothing is hidden here. `bias` is null or [1 or batch][heads][queries][keys], `additive` null or
/// [1 or batch][1 or heads][queries][token keys].
template <class T>
TensorOf<T> mask(const Work&, const TensorOf<T>& capped, const TensorOf<T>* bias,
                 const TensorPtrOf<T>& additive, const MaskRule& rule);

/// Inputs and result of mask().
template <class T>
struct MaskRun {
  const MaskRule& rule;
  const TensorPtrOf<T>& additive;
  const TensorOf<T>& masked;
};
/// Backward of mask(), in place: dG = dB = dM, but 0 where a constant replaced the score. Where -1e9 was
/// added, the gradient passes, unless the whole row is then -inf (stored in float16, -1e9 is -inf).
template <class T>
void mask_backward(const Work&, const MaskRun<T>&, OpenHeads, TensorOf<T>& gradient);

/// The inputs of one row of the masked scores: query `query` of head h of sequence b.
template <class T>
struct MaskedRow {
  std::int64_t b, h, query;
  std::span<const T> capped;    // [keys]
  std::span<const T> bias;      // [keys], or empty
  std::span<const T> additive;  // [token keys], or empty
};
/// Computes that row into `masked` [keys]; `seen` is scratch space of the same length.
template <class T>
void mask_row(const MaskRule& rule, const MaskedRow<T>& row, std::span<std::uint8_t> seen,
              std::span<T> masked);

/// Sets the numbers of a row [keys] to 0 whose keys the mask hides from its query; `additive` as in mask().
template <class T>
void clear_hidden(const MaskRule& rule, const TensorPtrOf<T>& additive, std::int64_t b, std::int64_t h,
                  std::int64_t query, std::span<T> row) {
  std::vector<std::uint8_t> seen(row.size());
  rule.see<T>(b, h, query, MaskRule::additive_row<T>(additive, b, h, query), seen);
  for (std::size_t key = 0; key < row.size(); ++key)
    if (seen[key] == 0) row[key] = T{0};
}

}  // namespace attnscope
