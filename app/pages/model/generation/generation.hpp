// app/pages/model: a decoder continues its text token by token: every step with the prediction that the token
// was chosen from, and the key/value cache that the step reads.
#pragma once

#include "app/scene/scene.hpp"

namespace attnscope {

/// Draws the whole window between the token strip and the status line. Draws nothing and returns false if
/// another screen is chosen or no model is open.
bool draw_generation(Scene&, const Box&);

/// Goes to the next appended token; at the last one appends another. Does nothing and returns false if the
/// screen is not shown.
bool generation_forward(Scene&);
/// Shows the previous step; removes nothing.
void generation_back(Scene&);
void generation_to_start(Scene&);
void generation_to_end(Scene&);
/// Begins to append as many tokens as the controls say, or stops.
void generation_play(Scene&);

}  // namespace attnscope
