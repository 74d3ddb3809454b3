// app/views/heads: one head in the grid: its name, its badge, its picture and what is read off it.
#pragma once

#include "app/scene/scene.hpp"

namespace attnscope {

/// How wide and high a picture with square cells is, as parts of its longer side.
struct Aspect {
  explicit Aspect(const Dimensions& d);
  Box picture(const Ui& ui, float x, float y, float side) const;
  float wide, high;
};

/// The parts of a thumbnail from top to bottom, in logical pixels: label, picture, read-outs, air.
struct ThumbnailSpace {
  static constexpr float label = 18, above = 4, below = 3, line = 13, gap = 7, gap_without_line = 6;
  static constexpr float least_side = 40, least_side_with_line = 88;
};

/// Draws head `h` into the box, the longer side of its picture `side`; `lines`: with a line of read-outs
/// below. Previews it while hovered; a click chooses it, one on the badge mutes it.
void draw_thumbnail(Scene&, const Box& box, float side, std::int64_t h, bool lines);

}  // namespace attnscope
