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

/// Mask: hidden keys become -inf whatever their score was, NaN included; the others get the additive value.
/// Same shape.
template <class T>
TensorOf<T> mask(const Work&, const TensorOf<T>& capped, const MaskRule& rule);

/// One row of it: query `query` of head h of sequence b. Both spans are [keys].
template <class T>
void mask_row(const MaskRule& rule, std::int64_t b, std::int64_t h, std::int64_t query,
              std::span<const T> capped, std::span<T> masked);

}  // namespace attnscope
