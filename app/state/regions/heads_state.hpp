// app/state/regions: the state of the grid of heads.
#pragma once

#include <cstdint>
#include <vector>

#include "app/state/page/page_state.hpp"

namespace attnscope {

/// What the thumbnails are sorted by, the largest first; Index is the order of the layer.
enum class HeadOrder : std::uint8_t {
  Index,
  Entropy,
  Largest,
  Previous,
  Next,
  Self,
  First,
  Distance,
  Received,
  Gradient
};

struct HeadsState {
  HeadOrder order = HeadOrder::Index;
  /// The heads in the order on screen, and the HeadOrder that sorted them. The order does not change while
  /// the mouse is on the grid, so that no head moves away from a click.
  std::vector<std::int64_t> placed;
  HeadOrder placed_by = HeadOrder::Index;
  bool pointed_at = false;  // the mouse was on the grid in the last frame

  bool menu_opens = false;     // in this frame, for menu_head
  bool menu_by_key = false;    // the menu opens beside the thumbnail instead of at the mouse
  std::int64_t menu_head = 0;  // whose menu is open
};

/// Visits the fields that a session keeps.
void fields(PageFields&, HeadsState&);

inline HeadsState& head_grid_of(ViewState& view) { return pages_of(view).of<HeadsState>(); }
inline const HeadsState& head_grid_of(const ViewState& view) { return pages_of(view).of<HeadsState>(); }

}  // namespace attnscope
