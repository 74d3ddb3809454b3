// app/state/regions: where the regions stand. Pure arithmetic from the window's size, the scale and what is
// hidden; the table is in the comment of compute_layout.
#pragma once

#include <optional>

#include "app/kit/ui/ui.hpp"
#include "app/state/page/page_state.hpp"
#include "app/state/requests.hpp"

namespace attnscope {

struct Layout {
  Box top, strip, controls, heads, focus, inspector, signals, status;  // empty (w or h 0) where hidden
  Box start;  // what the first launch offers to do, while it does
  Box tab;    // opens and closes the drawer: only where the window is narrow
  Box whole;  // between the top bar (and strip, in Compare) and the status line, for the other modes
  bool compact =
      false;            // below 1400 logical pixels wide: narrower regions, fewer sub-labels, folded sections
  bool drawer = false;  // the inspector is open over the focus instead of beside it
  bool folded = false;  // the map needs the height: the signals are a line of their titles
};

/// Below 1280 logical pixels the inspector is a drawer over the focus.
bool is_narrow(float width, float scale);

/// Logical sizes, wide / compact: top bar 48 / 40, strip 80 / 72 high; controls 264 / 216, heads 276 / 182,
/// inspector 368 / 280 wide; signals 208 / 152, status 24 high, or what the splitters say; the focus takes
/// the rest, and it gives way last: where it would be low the signals get lower (not in a narrow window),
/// then fold to a line unless they were opened by hand, then the heads go, then the inspector becomes a
/// drawer over it (always below 1280), then the line of the signals, the strip and the controls go. Every
/// line of text fields or chips after the first makes the strip higher. Everything is in device pixels of a
/// window `width` x `height`.
Layout compute_layout(float width, float height, const ViewState& view, std::size_t strip_lines);

/// The same for a long result, which has neither token strip nor thumbnails nor plots: the map takes their
/// room.
Layout long_layout(Layout);

/// The height that the signals open to by a click, and have where there is room: logical pixels.
inline float usual_signals(bool compact) { return compact ? 152 : 208; }

/// How far a splitter reaches to both sides of its edge. A region that scrolls keeps its child window clear
/// of that: Dear ImGui gives the mouse to the window on top.
inline constexpr float splitter_reach = 3;

/// How far a splitter goes: below the first a region cannot be read, above the second it starves the others.
struct SplitterLimits {
  float least, most;
};
inline constexpr SplitterLimits control_limits{184, 480};

/// One edge that can be dragged: between a region and its neighbour.
struct Splitter {
  const char* label;
  Box grip;      // some pixels to both sides of the edge
  float* size;   // of the region, logical pixels; 0: the usual one
  float from;    // the region's other edge
  bool upright;  // moves left and right
  SplitterLimits limits;
};
/// Takes the mouse, before what stands at both sides is drawn; the line that is to be drawn when it is
/// pointed at, behind them: empty when it is not.
struct SplitterLine {
  Box box;
  Rgba colour = 0;
};
SplitterLine drag_splitter(const Ui&, const Splitter&);

/// The pixels of a region in the layout; nothing where it is hidden.
std::optional<Box> box_of(PictureRegion, const Layout&, const ViewState&);
/// The edges between the regions: dragged they change view.sizes, a double click gives the usual size back.
void draw_splitters(const Ui&, const Layout&, ViewState&);

}  // namespace attnscope
