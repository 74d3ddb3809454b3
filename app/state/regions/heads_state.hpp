// app/state/regions: how the grid of heads is looked at.
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
  /// The heads as they stand, and the order that put them there. They stay while the mouse is among them, so
  /// that none runs away from a click.
  std::vector<std::int64_t> placed;
  HeadOrder placed_by = HeadOrder::Index;
  bool pointed_at = false;  // the mouse was on the grid in the last frame

  bool menu_opens = false;     // in this frame, for menu_head
  bool menu_by_key = false;    // beside the thumbnail instead of at the mouse
  std::int64_t menu_head = 0;  // whose menu is open
};

/// What a session keeps of it.
void fields(PageFields&, HeadsState&);

inline HeadsState& head_grid_of(ViewState& view) { return pages_of(view).of<HeadsState>(); }
inline const HeadsState& head_grid_of(const ViewState& view) { return pages_of(view).of<HeadsState>(); }

}  // namespace attnscope
