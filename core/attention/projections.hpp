// core/attention: the learned matrices. Each token's vector becomes queries, keys and values, one slice per
// head, and the heads' results become one vector again. Output, Y = C·W_O + b_O of that vector, is a dense
// layer: core/base/dense.hpp.
#pragma once

#include <array>
#include <cstdint>

#include "core/attention/blocks.hpp"
#include "core/base/norm.hpp"
#include "core/base/parallel.hpp"
#include "core/base/tensor.hpp"

namespace attnscope {

/// Query, Key, Value: x·W + b, split per head (Vaswani et al. 2017, 3.2.2: head h uses columns h·d … (h+1)·d
/// of W). x [batch][tokens][d_in], w [d_in][heads * d], bias [heads * d] or null; the rows of the tokens from
/// `first` on: [batch][heads][tokens - first][d].
template <class T>
TensorOf<T> project(const Work&, const TensorOf<T>& x, const TensorOf<T>& w, const TensorOf<T>* bias,
                    std::int64_t heads, std::int64_t first = 0);

/// Inputs of project(); it reads the rows of x from `first` on.
template <class T>
struct ProjectRun {
  const TensorOf<T>& x;
  const TensorOf<T>& w;
  std::int64_t first;
};
template <class T>
struct ProjectGradients {
  TensorOf<T> w, bias;  // [d_in][heads * d], [heads * d]
};
/// Backward of project(), y = x·W + b: dW = Σ xᵀ·dy and db = Σ dy over the batch; dx = dy·Wᵀ is added to
/// `d_x` [batch][tokens][d_in], which other projections share. d_y [batch][heads][tokens - first or more][d]:
/// rows after those of the tokens are ignored.
template <class T>
ProjectGradients<T> project_backward(const Work&, const ProjectRun<T>&, const TensorOf<T>& d_y,
                                     TensorOf<T>& d_x);

/// One of the three blocks of a fused product: `heads` heads of as many columns as w [d_in][heads * d] has
/// for each; bias [heads * d] or null.
template <class T>
struct FusedPart {
  const TensorOf<T>* w;
  const TensorOf<T>* bias;
  std::int64_t heads;
};

/// Fuse: queries, keys and values of x [batch][tokens][d_in] side by side in one tensor,
/// [batch][tokens][columns of all three blocks]. Every head's columns are computed separately, so they have
/// the same bits as the result of project() for all tokens.
template <class T>
TensorOf<T> fuse(const Work&, const TensorOf<T>& x, const std::array<FusedPart<T>, 3>& parts);

/// Splits heads from a fused product [batch][tokens][columns]: head h is the d columns from first_column +
/// h·d on, of the tokens from `first` on: [batch][heads][tokens - first][d].
template <class T>
TensorOf<T> split(const TensorOf<T>& fused, std::int64_t first_column, std::int64_t heads, std::int64_t d,
                  std::int64_t first);

/// Concatenates the keys or values of each head: the cache `past` or null, those of the tokens, the learned
/// one [kv heads * d] or null, and zeros if `zero`. past and fresh [batch][kv heads][n][d]; the result is
/// [batch][kv heads][their sum + 0 to 2][d].
template <class T>
TensorOf<T> join_keys(const TensorOf<T>* past, const TensorOf<T>& fresh, const TensorOf<T>* extra, bool zero);
/// Backward of join_keys() for the learned key or value, which is row `row` of every sequence: the sum of
/// those rows over the batch. d_joined [batch][kv heads][keys][d]; the result is [kv heads * d].
template <class T>
TensorOf<T> join_keys_backward(const TensorOf<T>& d_joined, std::int64_t row);

/// A norm of queries or keys: of each head by itself, or of all heads of a token at once.
struct HeadNorm {
  NormSettings settings;
  bool all_heads = false;
};

/// NormQuery, NormKey: the first `tokens` rows of each head of x [batch][heads][n][d] normed over their d
/// numbers and multiplied with `weight` [d] or null (see core/base/norm.hpp), or over those of all heads and
/// with `weight` [heads * d]; the other rows belong to no token and are unchanged.
template <class T>
TensorOf<T> norm_heads(const Work&, const HeadNorm&, const TensorOf<T>* weight, const TensorOf<T>& x,
                       std::int64_t tokens);

/// Inputs of norm_heads(). `open`: see OpenHeads, for the heads of x.
template <class T>
struct NormHeadsRun {
  HeadNorm norm;
  const TensorOf<T>* weight;
  const TensorOf<T>& x;
  std::int64_t tokens;
  OpenHeads open = {};
};
template <class T>
struct NormHeadsGradients {
  TensorOf<T> x, weight;  // the shapes of x and of the weight; without a weight empty
};
/// Backward of norm_heads(), normalise_backward() row by row; rows that belong to no token pass their
/// gradient on.
template <class T>
NormHeadsGradients<T> norm_heads_backward(const Work&, const NormHeadsRun<T>&, const TensorOf<T>& d_normed);

/// Concat: the heads side by side. mixed [batch][heads][queries][d_v]; the result is [batch][queries][heads *
/// d_v].
template <class T>
TensorOf<T> concat(const Work&, const TensorOf<T>& mixed);
/// Backward of concat(): splits into heads. d_concatenated [batch][queries][heads * d_v]; the result is
/// [batch][heads][queries][d_v].
template <class T>
TensorOf<T> concat_backward(const TensorOf<T>& d_concatenated, std::int64_t heads);

}  // namespace attnscope
