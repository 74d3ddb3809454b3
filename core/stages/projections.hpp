// core/stages: the learned matrices. Each token's vector becomes queries, keys and values, one slice per
// head, and the heads' results become one vector again.
#pragma once

#include <array>
#include <cstdint>

#include "core/parallel.hpp"
#include "core/tensor.hpp"

namespace attnscope {

/// Query, Key, Value: x·W + b, split per head (Vaswani et al. 2017, 3.2.2: head h uses columns h·d … (h+1)·d
/// of W). x [batch][tokens][d_in], w [d_in][heads * d], bias [heads * d] or null; the rows of the tokens from
/// `first` on: [batch][heads][tokens - first][d].
template <class T>
TensorOf<T> project(const Work&, const TensorOf<T>& x, const TensorOf<T>& w, const TensorOf<T>* bias,
                    std::int64_t heads, std::int64_t first = 0);

/// One of the three blocks of a fused product: `heads` heads of as many columns as w [d_in][heads * d] has
/// for each; bias [heads * d] or null.
template <class T>
struct FusedPart {
  const TensorOf<T>* w;
  const TensorOf<T>* bias;
  std::int64_t heads;
};

/// Fuse: queries, keys and values of x [batch][tokens][d_in] side by side in one tensor,
/// [batch][tokens][columns of all three blocks]. Every head's columns are computed by themselves, so that
/// they hold the very bits that project() gives for all tokens.
template <class T>
TensorOf<T> fuse(const Work&, const TensorOf<T>& x, const std::array<FusedPart<T>, 3>& parts);

/// Heads cut out of a fused product [batch][tokens][columns]: head h holds columns first_column + h·d …, of
/// the tokens from `first` on: [batch][heads][tokens - first][d].
template <class T>
TensorOf<T> split(const TensorOf<T>& fused, std::int64_t first_column, std::int64_t heads, std::int64_t d,
                  std::int64_t first);

/// Keys or values of a head one after the other: the cache `past` or null, those of the tokens, the learned
/// one [kv heads * d] or null, and one of zeros if asked for. past and fresh [batch][kv heads][n][d]; the
/// result is [batch][kv heads][their sum + 0 to 2][d].
template <class T>
TensorOf<T> join_keys(const TensorOf<T>* past, const TensorOf<T>& fresh, const TensorOf<T>* extra, bool zero);

/// Concat: the heads side by side. mixed [batch][heads][queries][d_v]; the result is [batch][queries][heads *
/// d_v].
template <class T>
TensorOf<T> concat(const Work&, const TensorOf<T>& mixed);

/// Output: Y = C·W_O + b_O. concatenated [batch][queries][d_in], w [d_in][d_model], bias [d_model] or null;
/// the result is [batch][queries][d_model].
template <class T>
TensorOf<T> output(const Work&, const TensorOf<T>& concatenated, const TensorOf<T>& w,
                   const TensorOf<T>* bias);

}  // namespace attnscope
