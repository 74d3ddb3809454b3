// app/state/regions: the session's fields of a ZoomRange, the part of a plot or block of numbers that is in
// sight. It moves continuously, so undo does not restore it.
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
