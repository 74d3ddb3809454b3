// app/views/model: a whole model: all its heads, what stands in its residual stream, what it predicts, and
// what is changed inside it.
#pragma once

#include "app/scene/scene.hpp"

namespace attnscope {

/// The whole window between the token strip and the status line.
void draw_model(Scene&, const Box&);

}  // namespace attnscope
