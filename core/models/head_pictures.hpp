// core/models: small pictures of every head's weights, which grow as tokens follow: cells above the first new
// token stay as they are.
#pragma once

#include <cstdint>

#include "core/models/run_model.hpp"
#include "core/streaming/sweep.hpp"

namespace attnscope {

/// The smallest cells, powers of two, that leave at most `side` of them in a row and in a column.
PooledCells picture_cells(std::int64_t queries, std::int64_t keys, int side);

/// The first query that has to be swept again for cells of this size, when queries from `first` on are new:
/// that where the first cell with a new one begins, or 0 where the size has changed. A cell's bits depend on
/// its own rows alone (kernels join them in pairs of neighbours), so they are those of a sweep of all.
std::int64_t first_picture_row(const HeadPictures& kept, const PooledCells& cells, std::int64_t first);

/// Whether queries [first, first + rows) can join the row of cells that kept queries began.
bool can_follow(const HeadPictures& kept, const PooledCells& cells, std::int64_t first, std::int64_t rows);

/// Of what is kept of the row of cells that begins at query `begin`, queries from `first` on are forgotten.
void keep_following(HeadPictures& kept, std::int64_t begin, std::int64_t first);

/// `fresh`: pictures of queries [begin, …), swept against all keys; `begin` is what first_picture_row() said.
/// What is kept of earlier queries saw none of the new keys (causal attention, or as many keys as before).
void keep_pictures(const Sweep& fresh, std::int64_t begin, HeadPictures& kept);

}  // namespace attnscope
