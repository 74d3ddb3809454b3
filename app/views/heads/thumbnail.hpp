// app/views/heads: one head in the grid: name, badge, picture and read-outs.
#pragma once

#include "app/scene/scene.hpp"

namespace attnscope {

/// Width and height of a picture with square cells, relative to its longer side.
struct Aspect {
  explicit Aspect(const Dimensions& d);
  Box picture(const Ui& ui, float x, float y, float side) const;
  float wide, high;
};

/// Heights of the parts of a thumbnail from top to bottom, and least sides of pictures, in logical pixels.
struct ThumbnailSpace {
  static constexpr float label = 18, above = 4, below = 3, line = 13, gap = 7, gap_without_line = 6;
  static constexpr float least_side = 40, least_side_with_line = 88;
};

/// Draws head `h` into the box; `side`: the longer side of its picture; `lines`: with a line of read-outs
/// below. Hovering previews the head, a click chooses it, a click on the badge mutes it.
void draw_thumbnail(Scene&, const Box& box, float side, std::int64_t h, bool lines);

}  // namespace attnscope
