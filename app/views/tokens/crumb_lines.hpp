// app/views/tokens: where a line stands above the text fields of the token strip, and one below them.
#pragma once

#include "app/scene/scene.hpp"

namespace attnscope {

/// The middles of the gaps above and below the text fields.
struct CrumbLines {
  float x = 0, room = 0, above = 0, below = 0;
};
CrumbLines crumb_lines(const Scene&, const Box& strip);

}  // namespace attnscope
