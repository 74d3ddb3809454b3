// app/watch: a pass of a watched process that is held, and how later ones differ from it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "app/watch/watch_sight.hpp"

namespace attnscope {

/// What was on screen when it was held: all heads, and the chosen one. Its text has queries, keys and values
/// of all layers, so that every other head can be made of it.
struct WatchHeld {
  std::shared_ptr<const WatchGridSight> grid;
  std::shared_ptr<const WatchHeadSight> head;
  std::int64_t position = 0;         // of the row that was followed
  std::optional<std::int64_t> pass;  // which brought that row; nothing: it is not in the list of passes
  std::uint64_t pid = 0;
  double seconds = 0;  // when, on the interface's clock
};

/// now − held of a head, [rows][keys] of `now`: cells of equal position and key. NaN where one of the two
/// does not know the cell or may not see it.
Tensor held_difference(const WatchHeadSight& now, const WatchHeadSight& held);

/// now − held of the pictures of all heads of a layer.
struct WatchLayerDifference {
  std::int64_t rows_per_cell = 1, keys_per_cell = 1;  // the coarser ones of the two
  Tensor mean,
      max;  // [heads][cells down][cells across] of now; NaN where the cell has other rows or keys there
};
/// Nothing where heads or kind are others, or the rows of the two do not stand at the same positions (calls
/// were dropped).
std::optional<WatchLayerDifference> held_difference(const WatchLayerSight& now, const WatchLayerSight& held);

}  // namespace attnscope
