// app/views/tokens: the places of the lines above and below the text fields of the token strip.
#pragma once

#include "app/scene/scene.hpp"

namespace attnscope {

/// Left end and width of the lines, and the y of their centres: the middles of the gaps above and below the
/// text fields.
struct CrumbLines {
  float x = 0, room = 0, above = 0, below = 0;
};
CrumbLines crumb_lines(const Scene&, const Box& strip);

}  // namespace attnscope
