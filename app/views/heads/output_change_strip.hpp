// app/views/heads: what head intervention does to the output, below the heads.
#pragma once

#include "app/scene/scene.hpp"

namespace attnscope {

/// ‖ΔY‖ / ‖Y‖ of every token of the shown sequence as bars, the number of the query in sight, and the way
/// back. A bar previews its query while hovered and keeps it when clicked.
void draw_output_change(Scene&, const Box& line);

}  // namespace attnscope
