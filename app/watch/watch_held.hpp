// app/watch: a held pass of a watched process, and the differences of later passes to it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "app/watch/shown_watch.hpp"

namespace attnscope {

/// What was on screen when it was held: all heads, and the chosen one. Its snapshot has queries, keys and
/// values of all layers, so that any other head can be computed from it.
struct WatchHeld {
  std::shared_ptr<const ShownWatchGrid> grid;
  std::shared_ptr<const ShownWatchHead> head;
  std::int64_t position = 0;         // of the followed row
  std::optional<std::int64_t> pass;  // the pass that brought that row; empty: not in the list of passes
  std::uint64_t pid = 0;
  double seconds = 0;  // time of holding, on the interface's clock
};

/// now − held of a head, [rows][keys] of `now`, for cells of equal position and key. NaN if one side lacks
/// the cell or masks it by causality.
Tensor held_difference(const ShownWatchHead& now, const ShownWatchHead& held);

/// now − held of the pictures of all heads of a layer.
struct WatchLayerDifference {
  std::int64_t rows_per_cell = 1, keys_per_cell = 1;  // of the coarser picture
  Tensor mean,
      max;  // [heads][cells down][cells across] of now; NaN if held has other rows or keys in the cell
};
/// Empty if the numbers of heads or the kinds differ, or if the rows are not at the same consecutive
/// positions (calls were dropped).
std::optional<WatchLayerDifference> held_difference(const ShownWatchLayer& now, const ShownWatchLayer& held);

}  // namespace attnscope
