// app/views/frame: above and below the sentence of a layer that is open in Explore: the model that it stands
// in, the way back to it, and what it predicts.
#pragma once

#include "app/scene/scene.hpp"

namespace attnscope {

/// "SmolLM2 › Layer 23 ↑ Esc" above the text field of the token strip, where a click goes back to the model,
/// and the likeliest tokens below it. Nothing where the layer stands in no model.
void draw_model_crumb(Scene&, const Box& strip);

}  // namespace attnscope
