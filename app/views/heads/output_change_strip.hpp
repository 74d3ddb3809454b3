// app/views/heads: the change of the output by interventions on heads, shown below the heads.
#pragma once

#include "app/scene/scene.hpp"

namespace attnscope {

/// ‖ΔY‖ / ‖Y‖ of every token of the shown sequence as bars, the number of the shown query, and a button that
/// removes the interventions. A hovered bar previews its query, a click chooses it.
void draw_output_change(Scene&, const Box& line);

}  // namespace attnscope
