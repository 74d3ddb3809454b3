#include "core/models/head_pictures.hpp"

#include <algorithm>
#include <utility>

namespace attnscope {
namespace {

/// Puts `rows` kept rows of cells before the fresh ones. Kept rows see no key of the columns that are added
/// or removed: their weight there is 0.
void join(Tensor& kept, std::int64_t rows, const Tensor& fresh) {
  if (fresh.size() == 0 || rows == 0) {
    kept = fresh;
    return;
  }
  const std::int64_t heads = fresh.shape()[0], below = fresh.shape()[1], columns = fresh.shape()[2];
  const Shape shape{heads, rows + below, columns};
  if (kept.shape() != shape) {
    Tensor all(shape);
    const std::int64_t same = std::min(columns, kept.shape()[2]);
    for (std::int64_t h = 0; h < heads; ++h) {
      auto to = all.matrix(h);
      to.topRows(rows).setZero();
      to.topLeftCorner(rows, same) = std::as_const(kept).matrix(h).topLeftCorner(rows, same);
    }
    kept = std::move(all);
  }
  for (std::int64_t h = 0; h < heads; ++h) kept.matrix(h).bottomRows(below) = fresh.matrix(h);
}

}  // namespace

PooledCells picture_cells(std::int64_t queries, std::int64_t keys, int side) {
  return {cell_side(queries, side), cell_side(keys, side)};
}

std::int64_t first_picture_row(const HeadPictures& kept, const PooledCells& cells, std::int64_t first) {
  if (kept.mean.size() == 0 || kept.cells != cells) return 0;
  return first / cells.rows_per_cell * cells.rows_per_cell;
}

bool can_follow(const HeadPictures& kept, const PooledCells& cells, std::int64_t first, std::int64_t rows) {
  return first > 0 && kept.mean.size() > 0 && kept.cells == cells &&
         first % cells.rows_per_cell + rows <= cells.rows_per_cell && rows <= most_following(cells);
}

void keep_following(HeadPictures& kept, std::int64_t begin, std::int64_t first) {
  kept.following.keep(kept.following_from == begin ? first - begin : 0);
  kept.following_from = begin;
}

void keep_pictures(const Sweep& fresh, std::int64_t begin, HeadPictures& kept) {
  const std::int64_t rows = begin / fresh.picture->rows_per_cell;
  join(kept.mean, rows, fresh.mean);
  join(kept.largest, rows, fresh.max);
  kept.cells = *fresh.picture;
}

}  // namespace attnscope
