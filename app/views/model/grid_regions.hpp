// app/views/model: the parts of the grid of all heads, in drawing order.
#pragma once

#include "app/views/model/grid_frame.hpp"

namespace attnscope {

/// Numbers of columns.
void draw_grid_columns(const GridFrame&);
/// Takes mouse and keyboard; before anything that depends on them is drawn.
void point_at_grid(GridFrame&);
/// Numbers of layers, the band of the chosen one, effects; titles of lists.
void draw_grid_layers(const GridFrame&);
/// Heads, and the marks on them.
void draw_grid_cells(const GridFrame&);
/// The name of each head on its picture, if the heads are not in layers.
void draw_grid_labels(const GridFrame&);
/// If not all heads are in sight.
void draw_grid_scroll(const GridFrame&);

}  // namespace attnscope
