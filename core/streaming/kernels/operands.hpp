// core/streaming/kernels: operands of a sweep's two products: keys and values are read in place. Included by
// the kernels only.
#pragma once

#include "core/streaming/kernels/kernels.hpp"
#include "core/streaming/kernels/products.hpp"

namespace attnscope::streaming::ATTNSCOPE_KERNEL {

constexpr int tile_rows = 64;  // queries that should share a block of keys

/// Keys and values of one block.
struct Operands {
  Scalars keys, values;
};

ATTNSCOPE_INLINE Operands operands_from(const SweepJob& job, int first) {
  const float* values = job.output == nullptr ? nullptr : job.value.data + first * job.value.stride;
  return {{job.key.data + first * job.key.stride, job.key.stride, 1}, {values, 1, job.value.stride}};
}

/// Scores [count][PW] of the block's keys from `skip` on, from `query` [d_k][PW]. `between` is called at
/// least once every MR keys.
template <Keep keep, class Between>
ATTNSCOPE_INLINE void multiply_keys(const Operands& block, int skip, int count, const float* query, int d_k,
                                    float* scores, float* extra, Between between) {
  const Scalars keys{block.keys.data + skip * block.keys.row, block.keys.row, block.keys.step};
  product<keep>(keys, count, query, d_k, scores, extra, between);
}

/// output [d_v][PW] = output · shrink + Vᵀ · weights [count][PW].
ATTNSCOPE_INLINE void multiply_values(const Operands& block, int skip, int count, const float* weights,
                                      int d_v, float* output, float* shrink) {
  const Scalars values{block.values.data + skip * block.values.step, 1, block.values.step};
  product<Keep::Accumulate>(values, d_v, weights, count, output, shrink);
}

}  // namespace attnscope::streaming::ATTNSCOPE_KERNEL
