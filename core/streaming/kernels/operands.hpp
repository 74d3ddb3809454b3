// core/streaming/kernels: operands of a sweep's two products, in float32: keys and values are read in place.
// operands_tiles.hpp is the version for matrix units. Included by the kernels only.
#pragma once

#include "core/streaming/kernels/kernels.hpp"
#include "core/streaming/kernels/products.hpp"

namespace attnscope::streaming::ATTNSCOPE_KERNEL {

constexpr int key_grain = 1;   // panels begin at a multiple of this many keys
constexpr int tile_rows = 64;  // queries that should share a block of keys
constexpr bool rounds = false;
constexpr int few_keys = MR;

/// A thread's set-up for the products, valid during its lifetime.
struct Session {};

/// Keys and values of one block.
struct Operands {
  Scalars keys, values;
};

constexpr int64_t operand_scratch(int, int) { return 0; }
constexpr int64_t query_operand_scratch(int) { return 0; }

ATTNSCOPE_INLINE void prepare_queries(const float*, int, float*) {}

ATTNSCOPE_INLINE Operands prepare_block(const SweepJob& job, int first, int, float*) {
  const float* values = job.output == nullptr ? nullptr : job.value.data + first * job.value.stride;
  return {{job.key.data + first * job.key.stride, job.key.stride, 1}, {values, 1, job.value.stride}};
}

/// Scores [count][PW] of the block's keys from `skip` on, from `query` [d_k][PW] and its prepared operand.
/// `between` is called at least once every few_keys keys.
template <Keep keep, class Between>
ATTNSCOPE_INLINE void multiply_keys(const Operands& block, int skip, int count, const float* query,
                                    const float*, int d_k, float* scores, float* extra, Between between) {
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
