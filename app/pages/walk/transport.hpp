// app/pages/walk: the buttons, the scrubber that spans all moves, and the speed.
#pragma once

#include "app/walk/panels.hpp"

namespace attnscope::walk {

void draw_transport(const View&, const Box&);

}  // namespace attnscope::walk
