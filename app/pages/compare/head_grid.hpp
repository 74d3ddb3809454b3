// app/pages/compare: the differences of all heads as small pictures with one colour range, each with its
// total variation distance.
#pragma once

#include "app/pages/compare/parts.hpp"

namespace attnscope {

void draw_all_heads(Sides&, const Box&);

}  // namespace attnscope
