// app/views/parts: the mask's brush. A drag hides or shows cells, the opposite of the first cell's state, in
// one head or in all heads; on the small picture of the controls at any time, on the large one while painting
// is on.
#pragma once

#include <optional>

#include "app/scene/scene.hpp"

namespace attnscope {

/// Whether the mouse paints on the large picture.
bool is_painting(const Scene&);

/// While painting is on: applies the mouse to the cell of sequence b under it, and draws the brush around its
/// box. True if the brush used the mouse; the caller then ignores it.
bool paint_mask(Scene&, const Ui::Touch&, std::int64_t b, Cell under, const Box& cell);

/// The same even if painting is off, for the picture in the controls.
void brush_mask(Scene&, const Ui::Touch&, std::int64_t b, Cell under, const Box& cell);

/// Replaces causal, window and sparsity by a painted mask with the same pattern: in the chosen head, or in
/// all.
void paint_from_pattern(Scene&);

/// B, and Shift+B.
void toggle_painting(Scene&);
void toggle_brush_reach(Scene&);

/// "this head", "all heads": the reach of the brush.
std::string_view brush_reach(const Scene&);

}  // namespace attnscope
