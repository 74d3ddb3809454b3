// core/latent: multi-head latent attention (DeepSeek-AI 2024, DeepSeek-V2, section 2.1). Keys and values of
// all heads are made of one narrow vector for each token, ℓ = [norm(X·W_DKV), X·W_KR] = [c, k_R], here with
// both matrices as the columns of one: the content c, from which
// W_K and W_V make what each head has of its own, and a key k_R that all heads share and rotary positions
// turn. A cache keeps ℓ alone. Queries can have a latent of their own, X·W_DQ.
//
// Here k_R comes first in a head's key, [k_R, c·W_K], and the dimensions of the query that meet it come first
// in the query: what rotary positions turn are the first dimensions, as everywhere. DeepSeek's code has them
// last; q · k is the same.
#pragma once

#include <cstdint>
#include <optional>

#include "core/base/norm.hpp"
#include "core/base/parallel.hpp"
#include "core/base/tensor.hpp"

namespace attnscope {

/// How latents are made of vectors.
template <class T>
struct Compression {
  const TensorOf<T>& w;              // [d_in][d]
  std::int64_t width;                // of the content, from 1 to d
  std::optional<NormSettings> norm;  // of the content
  const TensorOf<T>* norm_weight;    // [width], or null: 1
};

/// x·w for every token, its first `width` numbers normed: x [batch][tokens][d_in]; [batch][tokens][d]. Throws
/// Cancelled.
template <class T>
TensorOf<T> compress(const Work&, const TensorOf<T>& x, const Compression<T>&);

template <class T>
struct CompressGradients {
  TensorOf<T> w, norm_weight;  // the second is empty where there is none
};
/// Backward of compress(): that of the norm (see normalise_backward()), then dW = Σ xᵀ·dy, and dx = dy·Wᵀ is
/// added to `d_x`. Throws Cancelled.
template <class T>
CompressGradients<T> compress_backward(const Work&, const TensorOf<T>& x, const Compression<T>&,
                                       const TensorOf<T>& d_y, TensorOf<T>& d_x);

/// c: the first `width` numbers of every token of ℓ [batch][tokens][width + shared].
template <class T>
TensorOf<T> content_of(const TensorOf<T>& latent, std::int64_t width);

/// The keys of all heads: k_R, which are the numbers of ℓ from `width` on, before what each head has of its
/// own, [batch][kv heads][tokens][d_k - shared]; the result is [batch][kv heads][tokens][d_k].
template <class T>
TensorOf<T> with_shared_key(const TensorOf<T>& latent, std::int64_t width, const TensorOf<T>& own);

/// Backward of with_shared_key(): the gradient of what each head has of its own. That of k_R, the sum over
/// the heads, is added to the numbers of `d_latent` from `width` on. Rows of d_key behind those of tokens are
/// not looked at.
template <class T>
TensorOf<T> with_shared_key_backward(const TensorOf<T>& d_key, std::int64_t width, TensorOf<T>& d_latent);

/// Adds d_content [batch][tokens][width] to the first numbers of every token of d_latent.
template <class T>
void add_content(const TensorOf<T>& d_content, TensorOf<T>& d_latent);

}  // namespace attnscope
