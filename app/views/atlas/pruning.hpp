// app/views/atlas: the pruning curve: heads are zeroed one after the other, the one with the smallest effect
// first, beside a random order. It is computed on request.
#pragma once

#include "app/scene/scene.hpp"

namespace attnscope {

/// The region with the curve and the button that starts it.
void draw_pruning(Scene&, const Box& region);

}  // namespace attnscope
