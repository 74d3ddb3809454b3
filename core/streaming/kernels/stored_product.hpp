// core/streaming/kernels: few rows times weights in their stored form: a block is converted in registers and
// multiplied at once, since a converted copy would be read only once. Sums are in the order of
// weight_product.hpp, so that the bits are equal. Included by the kernels only.
#pragma once

#include "core/streaming/kernels/weight_product.hpp"
#include "core/streaming/kernels/widen.hpp"

namespace attnscope::streaming::ATTNSCOPE_KERNEL {

/// Prefetch distance in bytes: at least one tile.
constexpr int ahead_of_tile(int bytes) { return bytes > 4096 ? bytes : 4096; }

template <int R, class Block>
ATTNSCOPE_INLINE void stored_tile(const StoredProductJob& job, int row, int column) {
  const float* x[R];
  ATTNSCOPE_UNROLL for (int r = 0; r < R; ++r) x[r] = job.x.data + (row + r) * job.x.stride;
  const int blocks = job.depth / Block::elements,
            columns = job.columns - column < product_columns ? job.columns - column : product_columns;
  const Block* w[product_columns];
  for (int c = 0; c < product_columns; ++c)
    w[c] = reinterpret_cast<const Block*>(job.weights) +
           static_cast<int64_t>(column + (c < columns ? c : columns - 1)) * blocks;
  // Four rows of blocks are too short for the hardware prefetcher to detect four streams, so the next ones
  // are prefetched here.
  constexpr int step = product_columns * sizeof(Block);
  const char* coming = reinterpret_cast<const char*>(w[0]) + ahead_of_tile(step * blocks);
  Vec sum[R][product_columns] = {};
  for (int block = 0; block < blocks; ++block, coming += step) {
    ATTNSCOPE_UNROLL for (int byte = 0; byte < step; byte += 64) __builtin_prefetch(coming + byte, 0, 2);
    ATTNSCOPE_UNROLL for (int c = 0; c < product_columns; ++c) {
      each_vector(
          w[c][block], [&](int i, Vec b) __attribute__((always_inline)) {
            ATTNSCOPE_UNROLL for (int r = 0; r < R; ++r) sum[r][c] =
                multiply_add(load_loose(x[r] + block * Block::elements + i), b, sum[r][c]);
          });
    }
  }
  write_sums<R>(sum, bias_at(job, column), columns, job.out + row * job.out_stride + column, job.out_stride);
}

/// Blocks in parts take several times as long to convert as to multiply: for two rows they are widened once.
template <class Block>
constexpr int most_rows_of = is_in_parts<Block> ? 1 : 1 << 20;

static bool multiply_stored(const StoredProductJob& job) {
  bool whole = true;
  const bool known = with_blocks_of(job.type, [&]<class Block>(const Block*) {
    whole = job.depth % Block::elements == 0 && job.rows <= most_rows_of<Block>;
    if (!whole) return;
    for (int column = 0; column < job.columns; column += product_columns) {
      int row = 0;
      if constexpr (W == 16 && most_rows_of < Block >> 1) {  // as many as fit into the registers
        for (; row + 3 <= job.rows; row += 3) stored_tile<3, Block>(job, row, column);
        for (; row + 2 <= job.rows; row += 2) stored_tile<2, Block>(job, row, column);
      }
      for (; row < job.rows; ++row) stored_tile<1, Block>(job, row, column);
    }
  });
  return known && whole;
}

}  // namespace attnscope::streaming::ATTNSCOPE_KERNEL
