// core/base: work on rows, cut into blocks of fixed size: a matrix product may round differently at the edge
// of a block, so the cut must not depend on the number of threads.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/base/parallel.hpp"

namespace attnscope {

inline constexpr std::int64_t rows_per_block = 64;

/// Rows [first, first + count) of one head of one sequence.
struct RowBlock {
  std::int64_t b, h, first, count;
};

/// Calls fn(RowBlock) for all rows of all heads. `row_ns`: a rough estimate of the nanoseconds per row.
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

/// An estimate of the time of rows·depth·columns multiply-adds with the baseline instruction set, in ns.
inline double product_ns(std::int64_t rows, std::int64_t depth, std::int64_t columns) {
  return static_cast<double>(rows) * static_cast<double>(depth) * static_cast<double>(columns) / 12;
}

}  // namespace attnscope
