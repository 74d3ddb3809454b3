// app/views/parts: the mask's brush. A drag hides cells or shows them, whichever the first cell was not; in
// the head or in all heads, on the small picture of the controls at any time and on the large one while
// painting is on.
#pragma once

#include <optional>

#include "app/scene/scene.hpp"

namespace attnscope {

/// Whether the mouse paints on the large picture.
bool is_painting(const Scene&);

/// While it does: does what the mouse does to the cell of sequence b under it, and draws the brush around
/// its box. True when the mouse was for the brush; the caller then leaves it alone.
bool paint_mask(Scene&, const Ui::Touch&, std::int64_t b, Cell under, const Box& cell);

/// The same whether painting is on or not, for the picture in the controls.
void brush_mask(Scene&, const Ui::Touch&, std::int64_t b, Cell under, const Box& cell);

/// Takes the pattern of causal, window and sparsity as if it were painted: in the chosen head, or in all.
void paint_from_pattern(Scene&);

/// B, and Shift+B.
void toggle_painting(Scene&);
void toggle_brush_reach(Scene&);

/// "this head", "all heads": what the brush reaches.
std::string_view brush_reach(const Scene&);

}  // namespace attnscope
