#include "app/state/regions/focus_state.hpp"

namespace attnscope {

ATTNSCOPE_NAMES(WeightColours, {"magma", "viridis", "cividis", "blues", "grey"});

void fields(PageFields& visit, FocusState& focus) {
  visit("zoom", focus.zoom, 1, 1e6, InUndo::No);
  visit("query", focus.query, 0, 1 << 30, InUndo::No);
  visit("key", focus.key, 0, 1 << 30, InUndo::No);
  visit("turned", focus.turned);
  visit("colours", focus.colours);
  visit("log", focus.log);
  visit("lines", focus.lines);
  visit("all_heads", focus.all_heads);
  visit("mass", focus.mass, 0, 1);
  visit("line_row", focus.line_row, 0, 1 << 30, InUndo::No);
}

void fields(PageFields&, FocusGesture&) {}

}  // namespace attnscope
