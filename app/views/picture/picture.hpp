// app/views/picture: the picture that a vision model looks at: its patches, what a head gives to them, and
// attention rollout beside it.
#pragma once

#include "app/scene/scene.hpp"

namespace attnscope {

/// Whether the open model looks at a picture, and it is known.
bool looks_at_picture(const Shown&);
void draw_model_picture(Scene&, const Box& region);
/// Without what a head and the rollout give to it; returns the place of those.
Box draw_model_picture_alone(Scene&, const Box& region);

}  // namespace attnscope
