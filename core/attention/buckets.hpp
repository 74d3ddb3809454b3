// core/attention: the hash buckets of queries and keys, for the LSH pattern.
#pragma once

#include "core/base/parallel.hpp"
#include "core/document/settings.hpp"

namespace attnscope {

/// Bucket: h(x) = argmax [x·R, -x·R] with R [d_k][buckets / 2] from N(0, 1) of the seed, one for each round
/// and key head (Kitaev et al. 2020, section 3). query [batch][heads][queries][d_k], key [batch][kv
/// heads][keys][d_k] of which the first `token_keys` are hashed; the result is [batch][heads][rounds][queries
/// + token keys], whole numbers from 0. A vector with NaN falls into bucket 0.
template <class T>
TensorOf<T> buckets(const Work&, const Sparsity&, const TensorOf<T>& query, const TensorOf<T>& key,
                    std::int64_t token_keys);

}  // namespace attnscope
