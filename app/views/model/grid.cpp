// app/views/model: all heads of a model as live pictures, or coloured by what is measured of them; beside
// every layer what the prediction owes to its heads.
#include "app/views/model/grid_regions.hpp"
#include "app/views/model/parts.hpp"

namespace attnscope {

void draw_model_grid(Scene& scene, const Box& region) {
  GridFrame grid(scene, region);
  const Ui& ui = scene.ui;
  ui.fill(region, ui.theme.picture);
  ui.clip(region);
  draw_grid_title(grid);
  ui.clip(grid.clip());
  point_at_grid(grid);
  draw_grid_layers(grid);
  draw_grid_cells(grid);
  draw_grid_labels(grid);
  ui.unclip();
  draw_grid_scroll(grid);
  ui.unclip();
}

}  // namespace attnscope
