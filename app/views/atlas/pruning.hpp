// app/views/atlas: the pruning curve: heads are zeroed one after the other, the one with the smallest effect
// first, beside a random order. It is computed when a person asks for it.
#pragma once

#include "app/scene/scene.hpp"

namespace attnscope {

/// The region with the curve and with the button that begins it.
void draw_pruning(Scene&, const Box& region);

}  // namespace attnscope
