#include "core/models/head_pictures.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace attnscope {
namespace {

std::int64_t cell_for(std::int64_t length, int side) {
  const std::int64_t least = (length + side - 1) / side;
  return static_cast<std::int64_t>(
      std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(1, least))));
}

/// Cells of rows that are kept, then the fresh ones. Kept rows see no key of the columns that come or go: 0.
Tensor joined(const Tensor& kept, std::int64_t rows, const Tensor& fresh) {
  if (fresh.size() == 0 || rows == 0) return fresh;
  const std::int64_t heads = fresh.shape()[0], below = fresh.shape()[1], columns = fresh.shape()[2];
  Tensor all(Shape{heads, rows + below, columns});
  for (std::int64_t h = 0; h < heads; ++h) {
    auto to = all.matrix(h);
    to.topRows(rows).setZero();
    const std::int64_t same = std::min(columns, kept.shape()[2]);
    to.topLeftCorner(rows, same) = kept.matrix(h).topLeftCorner(rows, same);
    to.bottomRows(below) = fresh.matrix(h);
  }
  return all;
}

}  // namespace

PooledCells picture_cells(std::int64_t queries, std::int64_t keys, int side) {
  return {cell_for(queries, side), cell_for(keys, side)};
}

std::int64_t first_picture_row(const HeadPictures& kept, const PooledCells& cells, std::int64_t first) {
  if (kept.mean.size() == 0 || kept.cells != cells) return 0;
  return first / cells.rows_per_cell * cells.rows_per_cell;
}

void keep_pictures(const Sweep& fresh, std::int64_t begin, HeadPictures& kept) {
  const std::int64_t rows = begin / fresh.picture->rows_per_cell;
  kept.mean = joined(std::as_const(kept.mean), rows, fresh.mean);
  kept.largest = joined(std::as_const(kept.largest), rows, fresh.max);
  kept.cells = *fresh.picture;
}

}  // namespace attnscope
