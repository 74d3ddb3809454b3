// core/latent: multi-head latent attention (DeepSeek-AI 2024, DeepSeek-V2, section 2.1). Keys and values of
// all heads are made from one narrow vector for each token, ℓ = [norm(X·W_DKV), X·W_KR] = [c, k_R], here with
// both matrices as the columns of one. From the content c, W_K and W_V make each head's own part; the key k_R
// is shared by all heads and is the only part that rotary positions rotate. A cache keeps only ℓ. Queries can
// have a latent of their own, X·W_DQ.
//
// Here k_R comes first in a head's key, [k_R, c·W_K], and the matching dimensions come first in the query, so
// that rotary positions rotate the first dimensions, as everywhere in AttnScope. DeepSeek's code has them
// last; q · k is the same.
#pragma once

#include <cstdint>
#include <optional>

#include "core/base/norm.hpp"
#include "core/base/parallel.hpp"
#include "core/base/tensor.hpp"

namespace attnscope {

/// How latents are made from token vectors.
template <class T>
struct Compression {
  const TensorOf<T>& w;              // [d_in][d]
  std::int64_t width;                // of the content c, from 1 to d
  std::optional<NormSettings> norm;  // of the content
  const TensorOf<T>* norm_weight;    // [width], or null: all 1
};

/// x·w for every token, with the first `width` numbers normed: x [batch][tokens][d_in]; result
/// [batch][tokens][d]. Throws Cancelled.
template <class T>
TensorOf<T> compress(const Work&, const TensorOf<T>& x, const Compression<T>&);

template <class T>
struct CompressGradients {
  TensorOf<T> w, norm_weight;  // norm_weight is empty if there is none
};
/// Backward of compress(): first that of the norm (see normalise_backward()), then dW = Σ xᵀ·dy, and dx =
/// dy·Wᵀ is added to `d_x`. Throws Cancelled.
template <class T>
CompressGradients<T> compress_backward(const Work&, const TensorOf<T>& x, const Compression<T>&,
                                       const TensorOf<T>& d_y, TensorOf<T>& d_x);

/// c: the first `width` numbers of every token of ℓ [batch][tokens][width + shared].
template <class T>
TensorOf<T> content_of(const TensorOf<T>& latent, std::int64_t width);

/// The keys of all heads: k_R, the numbers of ℓ from `width` on, followed by each head's own part, [batch][kv
/// heads][tokens][d_k - shared]; the result is [batch][kv heads][tokens][d_k].
template <class T>
TensorOf<T> with_shared_key(const TensorOf<T>& latent, std::int64_t width, const TensorOf<T>& own);

/// Backward of with_shared_key(): the gradient of each head's own part. The gradient of k_R, the sum over the
/// heads, is added to the numbers of `d_latent` from `width` on. Rows of d_key behind those of tokens are
/// ignored.
template <class T>
TensorOf<T> with_shared_key_backward(const TensorOf<T>& d_key, std::int64_t width, TensorOf<T>& d_latent);

/// Adds d_content [batch][tokens][width] to the first `width` numbers of every token of d_latent.
template <class T>
void add_content(const TensorOf<T>& d_content, TensorOf<T>& d_latent);

}  // namespace attnscope
