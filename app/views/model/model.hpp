// app/views/model: a whole model: all its heads, what stands in its residual stream, what it predicts, and
// what is changed inside it.
#pragma once

#include <functional>

#include "app/scene/scene.hpp"

namespace attnscope {

/// Calls `draw` with the splitters of the model's regions around it: they take the mouse before it and are
/// seen on top of it.
void draw_between_splitters(Scene&, const Box&, const std::function<void()>& draw);
/// What a vision model looks at, in the place of the residual stream: app/views/picture.
struct PictureDrawing {
  bool (*is_there)(const Shown&);
  void (*draw)(Scene&, const Box&);
};
/// The whole window between the token strip and the status line.
void draw_model(Scene&, const Box&, const PictureDrawing&);

}  // namespace attnscope
