// app/watch: the pictures of the Watch page, made from one snapshot on a worker's thread.
#pragma once

#include "app/watch/shown_watch.hpp"
#include "core/base/parallel.hpp"

namespace attnscope {

inline constexpr std::int64_t watch_picture_side = 64;                   // cells a side of a grid picture
inline constexpr std::int64_t most_watch_cells = std::int64_t{1} << 22;  // of the map of the chosen head

/// Both throw Error as watched_weights() does, or Cancelled. `before`: a grid of the same process, or null;
/// layers that only grew have only their new rows computed.
ShownWatchGrid make_watch_grid(const WatchedSnapshotPtr&, const Work&,
                               const ShownWatchGrid* before = nullptr);
/// `layer` is in the snapshot and has a row, `head` is one of its heads.
ShownWatchHead make_watch_head(const WatchedSnapshotPtr&, std::int64_t layer, std::int64_t head, const Work&);

}  // namespace attnscope
