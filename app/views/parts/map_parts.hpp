// app/views/parts: the parts on and around the cells of one heatmap of the focus, each drawn from its plan.
#pragma once

#include "app/views/parts/map_frame.hpp"

namespace attnscope {

/// "key →" and "query ↓" in their hues, with the range in sight of a zoomed map.
void draw_axis_names(const MapFrame&);
/// Labels of the rows in sight at the left and of the columns above, thinned so that none overlap; if few are
/// left, numbers replace them. The marked one is always drawn.
void draw_labels(const MapFrame&);
/// The numbers in the cells, if these are large enough.
void draw_values(const MapFrame&, const ColourScale&);
/// The accent frame around the marked cell with a halo, a tick at the left of its row and at the top of its
/// column.
void draw_mark(const MapFrame&);
/// While a cell is hovered: its row and column faintly lit, over labels and strips too.
void draw_crosshair(const MapFrame&, float right);
/// The entropy of every query (track: ln of its allowed keys) and the attention that every key received, at
/// the right and below, by the direction of their axis. `width`: of the one at the right.
void draw_strips(const MapFrame&, float width);
/// "query → key  value" near the hovered cell, never over its row or column; if possible over masked cells.
void draw_read_out(const MapFrame&, const Box& within);

/// Scroll bars at the right of and below a zoomed map, which show the range in sight and can be dragged.
void draw_scroll_bars(const MapFrame&);
/// The wheel zooms around the mouse, with Shift it moves along the columns; a drag moves the map (also with
/// the middle button, and only with that if not `left_drags`); a double click fits the matrix or zooms to the
/// cell. True if the mouse button's release in this frame ends such a gesture and is not a click.
bool take_gestures(const MapFrame&, const Ui::Touch&, bool left_drags);
/// Before the plan is drawn: applies the zoom requested by Z, and brings a newly chosen cell into sight. True
/// if the plan has to be made again.
bool follow_requests(const MapFrame&);

}  // namespace attnscope
