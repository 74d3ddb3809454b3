// app/pages/model: all heads of a model as live pictures, or coloured by a measure; beside every layer the
// effects of its heads on the prediction.
#include <algorithm>
#include <cmath>

#include "app/pages/model/heads/model.hpp"
#include "app/pages/model/parts/parts.hpp"
#include "app/views/focus/focus_parts.hpp"
#include "app/views/model/grid_colours.hpp"
#include "app/views/model/grid_regions.hpp"

namespace attnscope {
namespace {

/// A click on the colour bar does the same as L: switches between the weight and its logarithm.
void take_bar(const GridFrame& grid, const Box& bar) {
  const Ui& ui = grid.ui;
  if (ui.is_figure() || grid.state.colour != HeadColour::Pattern) return;
  const Ui::Touch touch = ui.touch("Grid scale", bar, false);  // the keyboard has L
  if (touch.hovered) ui.horizontal(bar.x, bar.bottom() - ui.px(2), bar.w, ui.theme.text3);
  const std::string_view why =
      pools_by_maximum(grid)
          ? "A click changes between the weight and its logarithm, which tells small weights apart. Of more "
            "than 100 tokens a pixel shows the largest weight of its cells."
          : "A click changes between the weight and its logarithm, which tells small weights apart.";
  tooltip(ui, touch.hovered, bar, {"Colours by the logarithm of the weight", {}, why, "L"});
  if (touch.clicked) toggle_log(grid.scene);
}

void draw_title(const GridFrame& grid, const Box& line) {
  const Ui& ui = grid.ui;
  const float y = line.y + ui.px(22), choice = draw_screen_choice(grid.scene, line);
  const ColourScale shown = grid_scale(grid);
  const GridEnds ends = grid_ends(grid);
  // In a narrow window the title needs the ramp's room; a ramp too short to read is left out.
  const float name = line.x + ui.text_width("All heads", type::body, Ink::Semibold) + ui.px(12);
  const float words = ui.text_width(ends.low, type::tick) + ui.text_width(ends.high, type::tick) + ui.px(12);
  const float right = choice - ui.px(14), room = std::min(ui.px(72), std::floor(right - words - name));
  float left = right;
  if (room >= ui.px(16)) {
    left = draw_small_ramp(ui, "grid ramp", right, y, shown, shown.high, ends.low, ends.high, room);
    take_bar(grid, {left, y - ui.px(10), right - left, ui.px(20)});
  }
  if (name - ui.px(8) > choice) return;  // the choice of screens needs the title's room
  draw_region_title(ui, line, "All heads", grid_note(grid), left - ui.px(12));
}

}  // namespace

void draw_model_grid(Scene& scene, const Box& region) {
  GridFrame grid(scene, region);
  const Ui& ui = scene.ui;
  ui.fill(region, ui.theme.picture);
  ui.clip(region);
  draw_title(grid, grid.title);
  draw_grid_columns(grid);
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
