// core/watch: how pictures of a watched layer are pooled. For .cpp files of this room only.
#pragma once

#include <cstdint>

#include "core/watch/watched_problem.hpp"
#include "core/watch/watched_weights.hpp"

namespace attnscope {

/// Of a picture of so many rows, with at most `side` cells in a side.
PooledCells watched_cells(const WatchedLayer&, std::int64_t rows, std::int64_t side);
/// `part`: rows that begin with a cell, of all heads. Throws as watched_weights().
WatchedPictures pictures_of_part(const WatchedLayer&, const WatchedPart& part, const PooledCells&,
                                 const Work&);

}  // namespace attnscope
