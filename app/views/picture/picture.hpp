// app/views/picture: the input picture of a vision model: its patches, the weights of a head on them, and
// attention rollout beside it.
#pragma once

#include "app/scene/scene.hpp"

namespace attnscope {

/// Whether the open model reads a picture, and that is known.
bool looks_at_picture(const Shown&);
void draw_model_picture(Scene&, const Box& region);
/// Draws only the picture, without a head and the rollout; returns the box of those.
Box draw_model_picture_alone(Scene&, const Box& region);

}  // namespace attnscope
