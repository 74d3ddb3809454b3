// app/views/model: what the grid of all heads is made of, in the order in which it is drawn.
#pragma once

#include "app/views/model/grid_frame.hpp"

namespace attnscope {

/// Numbers of columns.
void draw_grid_columns(const GridFrame&);
/// Takes mouse and keyboard. Comes before what is drawn of it.
void point_at_grid(GridFrame&);
/// Numbers of layers, the band of the chosen one, effects; titles of lists.
void draw_grid_layers(const GridFrame&);
/// Heads, and the marks on them.
void draw_grid_cells(const GridFrame&);
/// Which head a picture is of, on the pictures: where they do not stand in their layers.
void draw_grid_labels(const GridFrame&);
/// Where not all heads are in sight.
void draw_grid_scroll(const GridFrame&);

}  // namespace attnscope
