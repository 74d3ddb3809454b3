// app/views: the parts of the focus region around its map or its lines.
#pragma once

#include "app/scene/scene.hpp"

namespace attnscope {

/// Badge and name of the head, map or lines, and what is shown: the title line of the region.
void draw_focus_title(Scene&, const Box& region, float pad);
/// The line above the map: the stage itself, A − B or the float64 error at its right end; what a zoomed map
/// says of itself before them, or above them where captions stand `caption` high; at `corner_x` the button
/// that swaps the axes.
void draw_focus_tools(Scene&, const Box& area, float caption, float corner_x);
/// Ramp with handles, histogram, true ends, this head's own ends and the share beyond them, the choice of
/// colours, and beside it the range mode.
void draw_colour_bar(Scene&, const Box& area, float left, float right);
/// Tokens left and right with a line for every weight that is kept, and below them what is kept.
void draw_lines(Scene&, const Box& area);

/// The stage as it is, minus B, or minus float64: the plane of this kind that is nearest to the shown one;
/// empty when there is none.
std::optional<Plane> plane_of_kind(const Scene&, Plane::Kind);

void show_plane(Scene&, Plane);
/// Lines, which are weights whatever was looked at before, or the map.
void show_lines(Scene&, bool lines);

// What the keys do.
void fit_or_zoom(Scene&);    // Z
void swap_axes(Scene&);      // Shift+T
void toggle_log(Scene&);     // L
void toggle_lines(Scene&);   // G
void toggle_errors(Scene&);  // the float64 error instead of the value
/// Moves the chosen cell on the screen, whichever way the axes run.
void move_cell(Scene&, std::int64_t down, std::int64_t right);

}  // namespace attnscope
