// app/views/parts: what stands on and around the cells of one heatmap of the focus, each part drawn from its
// plan.
#pragma once

#include "app/views/parts/map_frame.hpp"

namespace attnscope {

/// "key →" and "query ↓" in their hues, with what is in sight of a zoomed map.
void draw_axis_names(const MapFrame&);
/// Labels of the rows in sight at the left and of the columns above, thinned so that none overlap; where few
/// are left they are numbers. The marked one always stands.
void draw_labels(const MapFrame&);
/// The numbers printed into the cells, where these are large enough.
void draw_values(const MapFrame&, const ColourScale&);
/// Accent frame around the marked cell with a halo, a tick at its row's left and at its column's top.
void draw_mark(const MapFrame&);
/// While a cell is hovered: its row and column faintly lit, over labels and strips too.
void draw_crosshair(const MapFrame&, float right);
/// Entropy of every query (track: ln of its allowed keys) and attention that every key received: at the right
/// and below, whichever of them runs there. `width` of the one at the right.
void draw_strips(const MapFrame&, float width);
/// "query → key  value" near the hovered cell, never over its row or column; where it can be over what is
/// masked.
void draw_read_out(const MapFrame&, const Box& within);

/// Bars at the right of and below a zoomed map that show where one is and can be dragged.
void draw_scroll_bars(const MapFrame&);
/// The wheel zooms about the mouse, with Shift it moves along the columns; a drag moves the map (with the
/// middle button too, and only with it where `left_drags` is false); a double click fits the matrix or zooms
/// to the cell. True when the release of this frame belongs to such a gesture and is no click.
bool take_gestures(const MapFrame&, const Ui::Touch&, bool left_drags);
/// Before the plan is drawn: what Z asked for, and a newly chosen cell brought into sight. True when the plan
/// has to be made anew.
bool follow_requests(const MapFrame&);

}  // namespace attnscope
