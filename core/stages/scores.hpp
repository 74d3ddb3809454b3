// core/stages: how well each query matches each key, up to the point where the softmax takes over. Query head
// h reads key head h / (heads / kv heads) (grouped queries: Ainslie et al. 2023).
#pragma once

#include <cstdint>
#include <span>

#include "core/mask.hpp"
#include "core/parallel.hpp"
#include "core/tensor.hpp"

namespace attnscope {

/// Score: S = Q·Kᵀ. query [batch][heads][queries][d_k], key [batch][kv heads][keys][d_k]; the result is
/// [batch][heads][queries][keys].
template <class T>
TensorOf<T> score(const Work&, const TensorOf<T>& query, const TensorOf<T>& key);

/// Scale: every score times `factor`, 1/sqrt(d_k) in Vaswani et al. 2017, 3.2.1. Same shape.
template <class T>
TensorOf<T> scale(const Work&, const TensorOf<T>& scores, double factor);

/// Cap: c·tanh(x / c) keeps every scaled score inside (-c, c) (Gemma Team 2024, section 2). c > 0; same
/// shape.
template <class T>
TensorOf<T> cap(const Work&, const TensorOf<T>& scaled, T c);

/// Mask: M = capped + bias + additive where the query may see the key; hidden keys become the rule's hidden
/// value whatever their score was, NaN included, unless the rule adds it. Same shape. When the rule masks
/// after the softmax nothing is hidden here. `bias` is null or [1 or batch][heads][queries][keys], `additive`
/// null or [1 or batch][1 or heads][queries][token keys].
template <class T>
TensorOf<T> mask(const Work&, const TensorOf<T>& capped, const TensorOf<T>* bias,
                 const TensorPtrOf<T>& additive, const MaskRule& rule);

/// What one row of the mask is made of: query `query` of head h of sequence b.
template <class T>
struct MaskedRow {
  std::int64_t b, h, query;
  std::span<const T> capped;    // [keys]
  std::span<const T> bias;      // [keys], or empty
  std::span<const T> additive;  // [token keys], or empty
};
/// That row; `masked` is [keys], `seen` room for as many.
template <class T>
void mask_row(const MaskRule& rule, const MaskedRow<T>& row, std::span<std::uint8_t> seen,
              std::span<T> masked);

}  // namespace attnscope
