// app/pages/model: the model that is shown beside the one that is held, head by head: two texts, two
// layers, two models or two precisions of one model.
#pragma once

#include "app/scene/scene.hpp"

namespace attnscope {

/// The whole window between the top bar and the status line; false when another screen is looked at.
bool draw_model_compare(Scene&, const Box& whole);
/// now − held, or its magnitude.
void turn_model_difference(Scene&);

}  // namespace attnscope
