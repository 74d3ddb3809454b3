// core/watch: the cells of a watched layer's pictures. Only .cpp files of this room include it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/watch/watched_problem.hpp"
#include "core/watch/watched_weights.hpp"

namespace attnscope {

/// The cells of a picture of `rows` rows, with at most `side` cells on each side.
PooledCells watched_cells(const WatchedLayer&, std::int64_t rows, std::int64_t side);
/// `part`: rows of all heads that begin with a row of cells. Throws as watched_weights().
WatchedPictures pictures_of_part(const WatchedLayer&, const WatchedPart& part, const PooledCells&,
                                 const Work&);

/// Copies the first `count` numbers of each head, [heads][rows], to rows from `first` on.
template <class T>
void put_head_rows(const T* from, std::int64_t heads, std::int64_t from_rows, std::int64_t count, T* to,
                   std::int64_t to_rows, std::int64_t first) {
  for (std::int64_t h = 0; h < heads; ++h) std::copy_n(from + h * from_rows, count, to + h * to_rows + first);
}

}  // namespace attnscope
