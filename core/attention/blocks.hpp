// core/attention: how the stages cut their work. Blocks are of fixed size, never a share per thread: a matrix
// product may round differently at the edge of a block, so the cut must not depend on the machine's threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "core/base/parallel.hpp"
#include "core/base/tensor.hpp"

namespace attnscope {

// Calls of backward functions: `d_x` is the gradient of the loss with respect to x, in the shape of x. Those
// that only change numbers do so in place and take the gradient of their result for that of their input.

inline constexpr std::int64_t rows_per_block = 64;

/// Rows [first, first + count) of one head of one sequence.
struct RowBlock {
  std::int64_t b, h, first, count;
};

/// Calls fn(RowBlock) for all rows of all heads. `row_ns`: a rough guess at the nanoseconds of one row.
template <class Fn>
void for_row_blocks(const Work& work, std::int64_t batch, std::int64_t heads, std::int64_t rows,
                    double row_ns, Fn&& fn) {
  const std::int64_t blocks = (rows + rows_per_block - 1) / rows_per_block;
  const double block_ns = row_ns * static_cast<double>(std::min(rows, rows_per_block));
  work.for_each(batch * heads * blocks, block_ns, [&](std::int64_t i) {
    const std::int64_t first = i % blocks * rows_per_block;
    fn(RowBlock{i / blocks / heads, i / blocks % heads, first, std::min(rows_per_block, rows - first)});
  });
}

/// Calls fn(b, h, query, in, out) for every row of the tensor and of the result, which has its shape.
template <class T, class Fn>
TensorOf<T> by_rows(const Work& work, const TensorOf<T>& tensor, double cell_ns, Fn&& fn) {
  const Shape& shape = tensor.shape();
  const std::int64_t heads = shape[1], queries = shape[2], keys = shape[3];
  TensorOf<T> result(shape);
  for_row_blocks(
      work, shape[0], heads, queries, static_cast<double>(keys) * cell_ns, [&](const RowBlock& at) {
        for (std::int64_t query = at.first; query < at.first + at.count; ++query) {
          const auto start = static_cast<std::size_t>(((at.b * heads + at.h) * queries + query) * keys);
          const auto length = static_cast<std::size_t>(keys);
          fn(at.b, at.h, query, tensor.values().subspan(start, length),
             result.values().subspan(start, length));
        }
      });
  return result;
}

/// Which heads a gradient goes through, [heads]: 1, or 0 where intervention put a pattern in place of the
/// head's own; empty = all. Backward functions leave the gradients of the others as they come, which are
/// zeros, and do not look at their numbers, which may be NaN.
using OpenHeads = std::span<const std::uint8_t>;
inline bool is_open(OpenHeads open, std::int64_t h) {
  return open.empty() || open[static_cast<std::size_t>(h)] != 0;
}

/// Calls fn(b, h, query, row) for every row of the open heads of a gradient [batch][heads][queries][keys], to
/// be changed in place.
template <class T, class Fn>
void for_open_rows(const Work& work, OpenHeads open, TensorOf<T>& gradient, double cell_ns, Fn&& fn) {
  const Shape& shape = gradient.shape();
  const std::int64_t heads = shape[1], queries = shape[2], keys = shape[3];
  for_row_blocks(
      work, shape[0], heads, queries, static_cast<double>(keys) * cell_ns, [&](const RowBlock& at) {
        if (!is_open(open, at.h)) return;
        for (std::int64_t query = at.first; query < at.first + at.count; ++query) {
          const auto start = static_cast<std::size_t>(((at.b * heads + at.h) * queries + query) * keys);
          fn(at.b, at.h, query, gradient.values().subspan(start, static_cast<std::size_t>(keys)));
        }
      });
}

/// A guess at the time of rows·depth·columns multiply-adds with the baseline instruction set.
inline double product_ns(std::int64_t rows, std::int64_t depth, std::int64_t columns) {
  return static_cast<double>(rows) * static_cast<double>(depth) * static_cast<double>(columns) / 12;
}

}  // namespace attnscope
