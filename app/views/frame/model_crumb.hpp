// app/views/frame: above and below the text of a model's layer in Explore: the model's name, the way back to
// it, and its prediction.
#pragma once

#include "app/scene/scene.hpp"

namespace attnscope {

/// "SmolLM2 › Layer 23 ↑ Esc" above the text field of the token strip, where a click leads back to the model,
/// and the likeliest tokens below it. Nothing if the layer belongs to no model.
void draw_model_crumb(Scene&, const Box& strip);

}  // namespace attnscope
