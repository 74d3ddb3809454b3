// app: where the regions stand. Pure arithmetic from the window's size, the scale and what is hidden; the
// table is in the comment of compute_layout.
#pragma once

#include "app/ui.hpp"
#include "app/view_state.hpp"

namespace attnscope {

struct Layout {
  Box top, strip, controls, heads, focus, inspector, signals, status;  // empty (w or h 0) where hidden
  bool compact =
      false;  // below 1400 logical pixels wide: narrower regions, fewer sub-labels, folded sections
};

/// Logical sizes, wide / compact: top bar 48 / 40, strip 80 / 72 high; controls 264 / 216, heads 276 / 182,
/// inspector 368 / 280 wide; signals 208 / 152, status 24 high; the focus takes the rest. Every line of text
/// fields or chips after the first makes the strip higher. Everything is in device pixels of a window `width`
/// x `height`.
Layout compute_layout(float width, float height, const ViewState& view, std::size_t strip_lines);

}  // namespace attnscope
