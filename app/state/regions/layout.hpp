// app/state/regions: the boxes of the regions, computed from the window's size, the scale and what is hidden;
// the sizes are listed at compute_layout().
#pragma once

#include <optional>

#include "app/kit/ui/ui.hpp"
#include "app/state/page/page_state.hpp"
#include "app/state/requests.hpp"

namespace attnscope {

struct Layout {
  Box top, strip, controls, heads, focus, inspector, signals, status;  // empty (w or h 0) where hidden
  Box start;  // the things to try of the first launch, while they are offered
  Box tab;    // opens and closes the drawer; only if the inspector is one
  Box whole;  // between top bar (or token strip, where there is one) and status line, for the other modes
  bool compact =
      false;            // below 1400 logical pixels wide: narrower regions, fewer sub-labels, folded sections
  bool drawer = false;  // the inspector is open over the focus instead of beside it
  bool folded = false;  // the map needs the height: the signals are one line with their titles
};

/// Below 1280 logical pixels the inspector is a drawer over the focus.
bool is_narrow(float width, float scale);
/// Whether the window of this frame is.
bool is_narrow(const ViewState&);

/// Sizes in logical pixels, wide / compact: top bar 48 / 40, strip 80 / 72 high; controls 264 / 216, heads
/// 276 / 182, inspector 368 / 280 wide; signals 208 / 152, status 24 high; a dragged splitter overrides them.
/// The second and third line of text fields or chips make the strip 36 higher each.
/// The focus takes the rest. Others give way to it. For a width of 320: the heads are hidden, then the
/// inspector becomes a drawer over it (always below 1280); for 240 the controls are hidden. For a height of
/// 448: the signals get lower (not in a narrow window), then fold to a line; signals opened by hand keep
/// their height down to 240. For 240: the line of the signals is hidden, and a strip that does not leave as
/// much. `width`, `height` and the result are in device pixels.
Layout compute_layout(float width, float height, const ViewState& view, std::size_t strip_lines);

/// The layout for a long result, which has no token strip, thumbnails or plots: the map takes their room.
Layout long_layout(Layout);

/// The usual height of the signals, also after a click opens them: logical pixels.
inline float usual_signals(bool compact) { return compact ? 152 : 208; }

/// How far a splitter reaches to both sides of its edge, in logical pixels. A region that scrolls keeps its
/// child window clear of that, as Dear ImGui gives the mouse to the window on top.
inline constexpr float splitter_reach = 3;

/// The limits of a region's size, logical pixels: below `least` it cannot be read, above `most` it leaves the
/// others too little room.
struct SplitterLimits {
  float least, most;
};
inline constexpr SplitterLimits control_limits{184, 480};

/// A draggable edge between a region and its neighbour.
struct Splitter {
  const char* label;
  Box grip;      // some pixels to both sides of the edge
  float* size;   // of the region, logical pixels; 0: the usual size
  float from;    // the region's other edge
  bool upright;  // the edge is vertical: it moves left and right
  SplitterLimits limits;
};
/// Handles the mouse; call it before the regions at both sides are drawn. Returns the line to draw behind
/// them while the splitter is pointed at or dragged; else an empty box.
struct SplitterLine {
  Box box;
  Rgba colour = 0;
};
SplitterLine drag_splitter(const Ui&, const Splitter&);

/// Whether a region is large enough to be drawn.
inline bool has_room(const Box& box) { return box.w >= 8 && box.h >= 8; }
/// The box of a region in the layout; nothing if it is hidden.
std::optional<Box> box_of(PictureRegion, const Layout&, const ViewState&);
/// The edges between the regions: a drag changes RegionsState::sizes, a double click restores the usual size.
void draw_splitters(const Ui&, const Layout&, ViewState&);

}  // namespace attnscope
