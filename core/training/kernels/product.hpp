// core/training/kernels: the one matrix product. Tiles of the result stay in registers over the whole depth;
// nothing is packed: the matrices of a small transformer lie in the first two caches as they are. Included by
// the kernels alone.
#pragma once

#include "core/training/kernels/kernels.hpp"
#include "core/training/kernels/numbers.hpp"

namespace attnscope::training::ATTNSCOPE_KERNEL {

/// Rows of a tile of V vectors: eight sums at least hide the delay of one, and all must find a register.
template <int V>
constexpr int tile_rows = ATTNSCOPE_LANES == 16 || V == 1 ? 8 : 4;

/// Rows [row, row + R) by V vectors from `column` on, the last of which has `last` numbers that exist.
template <class T, int R, int V, bool Whole>
ATTNSCOPE_INLINE void tile(const Product<T>& job, int row, int column, int last) {
  constexpr int W = lanes<T>;
  // Four rows share a pointer: with one for each there would be too few registers.
  const T* a[(R + 3) / 4];
  ATTNSCOPE_UNROLL for (int r = 0; r < R; r += 4) a[r / 4] = job.a + (row + r) * job.a_row;
  const int64_t a_row = job.a_row, a_step = job.a_step, b_row = job.b_row;
  const T* b = job.b + column;
  Vec<T> sum[R][V] = {};
  for (int k = job.depth; k > 0; --k) {
    Vec<T> right[V];
    ATTNSCOPE_UNROLL for (int v = 0; v < V; ++v) right[v] =
        Whole || v + 1 < V ? get(b + v * W) : get_some(b + v * W, last);
    ATTNSCOPE_UNROLL for (int r = 0; r < R; ++r) {
      const Vec<T> left = every(a[r / 4][(r % 4) * a_row]);
      ATTNSCOPE_UNROLL for (int v = 0; v < V; ++v) sum[r][v] = left * right[v] + sum[r][v];
    }
    ATTNSCOPE_UNROLL for (int r = 0; r < R; r += 4) a[r / 4] += a_step;
    b += b_row;
  }
  ATTNSCOPE_UNROLL for (int v = 0; v < V; ++v) {
    const bool whole = Whole || v + 1 < V;
    const int64_t at = column + v * W;
    const auto read = [&](const T* p) { return whole ? get(p) : get_some(p, last); };
    const Vec<T> bias = job.bias == nullptr ? Vec<T>{} : read(job.bias + at);
    ATTNSCOPE_UNROLL for (int r = 0; r < R; ++r) {
      Vec<T> value = sum[r][v] + bias;
      if (job.plus != nullptr) value += read(job.plus + (row + r) * job.plus_row + at);
      T* const out = job.out + (row + r) * job.out_row + at;
      if (whole)
        put(out, value);
      else
        put_some(out, value, last);
    }
  }
}

template <class T, int V, bool Whole>
ATTNSCOPE_INLINE void strip(const Product<T>& job, int column, int last) {
  constexpr int R = tile_rows<V>;
  int row = 0;
  for (; row + R <= job.rows; row += R) tile<T, R, V, Whole>(job, row, column, last);
  if (R > 4 && row + 4 <= job.rows) {
    tile<T, 4, V, Whole>(job, row, column, last);
    row += 4;
  }
  for (; row < job.rows; ++row) tile<T, 1, V, Whole>(job, row, column, last);
}

template <class T, int V>
ATTNSCOPE_INLINE void strip(const Product<T>& job, int column) {
  const int last = job.columns - column - (V - 1) * lanes<T>;
  if (last >= lanes<T>)
    strip<T, V, true>(job, column, 0);
  else
    strip<T, V, false>(job, column, last);
}

template <class T>
static void multiply(const Product<T>& job) {
  constexpr int W = lanes<T>;
  for (int column = 0; column < job.columns;) {
    const int left = (job.columns - column + W - 1) / W;
    const int V = left == 3 || left > 4 ? 3 : left == 1 ? 1 : 2;
    if (V == 3)
      strip<T, 3>(job, column);
    else if (V == 2)
      strip<T, 2>(job, column);
    else
      strip<T, 1>(job, column);
    column += V * W;
  }
}

template <class T>
static void transpose(const T* from, int64_t from_row, int rows, int columns, T* to, int64_t to_row) {
  // Squares of a cache line: neither side jumps from page to page for each number.
  constexpr int side = 16;
  for (int r0 = 0; r0 < rows; r0 += side)
    for (int c0 = 0; c0 < columns; c0 += side)
      for (int c = c0; c < columns && c < c0 + side; ++c)
        for (int r = r0; r < rows && r < r0 + side; ++r) to[c * to_row + r] = from[r * from_row + c];
}

}  // namespace attnscope::training::ATTNSCOPE_KERNEL
