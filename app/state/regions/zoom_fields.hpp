// app/state/regions: the part of a plot or of a block of numbers that is in sight, as sessions keep it. It
// moves continuously: undo does not bring it back.
#pragma once

#include "app/kit/widgets/zoom.hpp"
#include "app/state/page/page_state.hpp"

namespace attnscope {

inline void fields(PageFields& visit, ZoomRange& range) {
  visit("from", range.from, 0, 1, InUndo::No);
  visit("to", range.to, 0, 1, InUndo::No);
  if (!(range.from < range.to)) range = {};
}

}  // namespace attnscope
