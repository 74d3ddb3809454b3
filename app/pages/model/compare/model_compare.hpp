// app/pages/model: compares the shown model with the held one, head by head: two texts, two layers, two
// models or two precisions of one model.
#pragma once

#include "app/scene/scene.hpp"

namespace attnscope {

/// Draws the whole window between the top bar and the status line; false if another screen is shown.
bool draw_model_compare(Scene&, const Box& whole);
/// Switches between now − held and its magnitude.
void turn_model_difference(Scene&);

}  // namespace attnscope
