// app/pages/model: effects of a model's heads on the prediction: of zeroing each alone, the pruning curve,
// and activation patching of a pair of texts.
#pragma once

#include "app/scene/scene.hpp"

namespace attnscope {

/// Draws the whole window between the token strip and the status line. Draws nothing and returns false if
/// another screen is chosen or no model is open.
bool draw_atlas(Scene&, const Box&);

}  // namespace attnscope
