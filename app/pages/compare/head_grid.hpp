// app/pages/compare: the differences of all heads as small pictures under one range, with the weight that
// moved.
#pragma once

#include "app/pages/compare/parts.hpp"

namespace attnscope {

void draw_all_heads(Sides&, const Box&);

}  // namespace attnscope
