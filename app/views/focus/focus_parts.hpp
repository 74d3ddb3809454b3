// app/views: the parts of the focus region around its map or its lines.
#pragma once

#include "app/scene/scene.hpp"

namespace attnscope {

/// The title line of the region: badge and name of the head, the choice of map or lines, and the stages.
void draw_focus_title(Scene&, const Box& region, float pad);
/// The line above the map. At its right end the choice of the stage itself, A − B or the float64 error. Of a
/// zoomed map the zoom and the button Fit, left of it, or above it if `caption` > 0 (the height of the maps'
/// captions). Left of `corner_x` the button that swaps the axes.
void draw_focus_tools(Scene&, const Box& area, float caption, float corner_x);
/// The colour bar: ramp with handles, histogram, the scale's true ends, this head's own ends, the choice of
/// colours; beside it the range mode and the share of values that are cut off.
void draw_colour_bar(Scene&, const Box& area, float left, float right);
/// Tokens left and right with a line for every weight that is kept, and below them the share that is kept.
void draw_lines(Scene&, const Box& area);

/// The shown stage as a plane of this kind; if it has none, the weights as one; empty if there is none
/// either.
std::optional<Plane> plane_of_kind(const Scene&, Plane::Kind);

/// Whether the region shows a map, rather than lines, vectors or a block of weights.
bool shows_map(const ViewState&);
void show_plane(Scene&, Plane);
/// Switches to lines, which always show weights, or to the map.
void show_lines(Scene&, bool lines);

// The actions of the keys.
void fit_or_zoom(Scene&);    // Z
void swap_axes(Scene&);      // Shift+T
void toggle_log(Scene&);     // L
void toggle_lines(Scene&);   // G
void toggle_errors(Scene&);  // the float64 error instead of the value
/// Moves the chosen cell in directions of the screen, also when the axes are swapped.
void move_cell(Scene&, std::int64_t down, std::int64_t right);

}  // namespace attnscope
