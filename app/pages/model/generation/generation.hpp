// app/pages/model: a decoder goes on with its text token by token: every step with the prediction that
// it was chosen from, and the key/value cache that the step reads.
#pragma once

#include "app/scene/scene.hpp"

namespace attnscope {

/// The whole window between the token strip and the status line. False, and nothing is drawn, where another
/// screen of the model is chosen or no model is open.
bool draw_generation(Scene&, const Box&);

/// A token on: the next one of those that were appended, behind the last one another. False, and nothing is
/// done, where the screen is not shown.
bool generation_forward(Scene&);
/// The step before is looked at; nothing is taken away.
void generation_back(Scene&);
void generation_to_start(Scene&);
void generation_to_end(Scene&);
/// As many tokens as the controls say, one after the other; or none any more.
void generation_play(Scene&);

}  // namespace attnscope
