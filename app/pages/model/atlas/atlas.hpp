// app/pages/model: what the prediction owes to the heads of a model: the effect of zeroing each alone, the
// pruning curve, and activation patching of a pair of texts.
#pragma once

#include "app/scene/scene.hpp"

namespace attnscope {

/// The whole window between the token strip and the status line. False, and nothing is drawn, where another
/// screen of the model is chosen or no model is open.
bool draw_atlas(Scene&, const Box&);

}  // namespace attnscope
