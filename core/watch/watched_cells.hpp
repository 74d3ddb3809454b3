// core/watch: the cells of a watched layer's pictures. Only .cpp files of this room include it.
#pragma once

#include <cstdint>

#include "core/watch/watched_problem.hpp"
#include "core/watch/watched_weights.hpp"

namespace attnscope {

/// The cells of a picture of `rows` rows, with at most `side` cells on each side.
PooledCells watched_cells(const WatchedLayer&, std::int64_t rows, std::int64_t side);
/// `part`: rows of all heads that begin with a row of cells. Throws as watched_weights().
WatchedPictures pictures_of_part(const WatchedLayer&, const WatchedPart& part, const PooledCells&,
                                 const Work&);

}  // namespace attnscope
