// core/models: small pictures of every head's weights, extended as tokens are added: cells above the first
// new token stay unchanged.
#pragma once

#include <cstdint>

#include "core/models/run_model.hpp"
#include "core/streaming/sweep.hpp"

namespace attnscope {

/// The smallest cells, with sides of powers of two, so that a picture has at most `side` rows and columns of
/// cells.
PooledCells picture_cells(std::int64_t queries, std::int64_t keys, int side);

/// The first query to sweep again for cells of this size, if queries from `first` on are new: the first query
/// of the first cell with a new one, or 0 if the size has changed. A cell's bits depend on its own rows alone
/// (kernels add them in pairs of neighbours), so they equal those of a sweep of all rows.
std::int64_t first_picture_row(const HeadPictures& kept, const PooledCells& cells, std::int64_t first);

/// Whether queries [first, first + rows) can join the row of cells that kept queries began.
bool can_follow(const HeadPictures& kept, const PooledCells& cells, std::int64_t first, std::int64_t rows);

/// Forgets queries from `first` on in the kept row of cells that begins at query `begin`.
void keep_following(HeadPictures& kept, std::int64_t begin, std::int64_t first);

/// Adds `fresh`, pictures of queries [begin, …) swept against all keys; `begin` is the result of
/// first_picture_row(). Kept earlier queries must not see the new keys (causal attention, or as many keys as
/// before).
void keep_pictures(const Sweep& fresh, std::int64_t begin, HeadPictures& kept);

}  // namespace attnscope
