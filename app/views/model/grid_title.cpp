// app/views/model: what stands round the heads of the grid: title, colour bar, numbers of columns, scroll
// bar.
#include "app/kit/ui/number_format.hpp"
#include "app/state/focus_state.hpp"
#include "app/views/focus/focus_parts.hpp"
#include "app/views/model/grid_colours.hpp"
#include "app/views/model/grid_regions.hpp"
#include "app/views/model/parts.hpp"

namespace attnscope {
namespace {

/// The colour bar with its ends is the switch of what L does: the weight or its logarithm.
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
  // In a narrow window the ramp gives way to the title, and goes where it would say nothing.
  const float name = line.x + ui.text_width("All heads", type::body, Ink::Semibold) + ui.px(12);
  const float words = ui.text_width(ends.low, type::tick) + ui.text_width(ends.high, type::tick) + ui.px(12);
  const float right = choice - ui.px(14), room = std::min(ui.px(72), std::floor(right - words - name));
  float left = right;
  if (room >= ui.px(16)) {
    left = draw_small_ramp(ui, "grid ramp", right, y, shown, shown.high, ends.low, ends.high, room);
    take_bar(grid, {left, y - ui.px(10), right - left, ui.px(20)});
  }
  if (name - ui.px(8) > choice) return;  // the screens stand in the title's place
  draw_region_title(ui, line, "All heads", grid_note(grid), left - ui.px(12));
}

std::size_t bank_of(const GridPlan& plan, const ModelHead& head) {
  // Banks follow each other in the order of their layers.
  std::size_t bank = 0;
  const GridPlan::Cell* const cell = find_cell(plan, head);
  if (cell == nullptr) return bank;
  for (const GridPlan::Column& column : plan.columns)
    if (column.of == head.of && column.head == 0 && column.x <= cell->box.x + plan.side) bank = column.bank;
  return bank;
}

}  // namespace

void draw_grid_columns(const GridFrame& grid) {
  const GridPlan& plan = grid.plan;
  const Ui& ui = grid.ui;
  const bool layers = grid.state.order == GridOrder::Layers;
  if (!layers) return;
  float widest = 0, end = -1e9f;
  for (const GridPlan::Column& column : plan.columns)
    widest = std::max(widest, ui.text_width(std::to_string(column.head), type::tick));
  // Nothing is chosen where the grid is drawn for a file.
  const ModelHead shown = grid.chosen.block < 0 ? grid.chosen : shown_head(grid.scene);
  for (const GridPlan::Column& column : plan.columns) {
    const bool is_shown =
        column.of == shown.of && column.head == shown.head && bank_of(plan, shown) == column.bank;
    if (column.head == 0) end = -1e9f;
    if (!is_shown && column.x - widest / 2 < end + ui.px(3)) continue;
    end = column.x + widest / 2;
    ui.text(column.x, column.y, std::to_string(column.head),
            {type::tick, is_shown ? ui.theme.query : ui.theme.text2, is_shown ? Ink::Semibold : Ink::Regular,
             Align::Centre});
  }
  for (const GridPlan::Line& line : plan.lines) ui.horizontal(line.x, line.y, line.width, ui.theme.border);
  for (const GridPlan::Title& part : plan.parts) {
    if (part.text == "effect") {
      const float width = ui.text(part.x, part.y, "effect", {type::tick, ui.theme.text2, Ink::Medium});
      constexpr std::string_view sum = "Σ |Δ logit|";
      const float left = width + ui.px(8);
      if (left + ui.text_width(sum, type::tick) <= part.room)
        ui.text(part.x + left, part.y, sum, {type::tick, ui.theme.text3});
    } else {
      ui.text(part.x, part.y, part.text, {type::label, ui.theme.text2, Ink::Medium});
    }
  }
}

void draw_grid_title(const GridFrame& grid) {
  draw_title(grid, grid.title);
  draw_grid_columns(grid);
}

void draw_grid_scroll(const GridFrame& grid) {
  const GridPlan& plan = grid.plan;
  const Ui& ui = grid.ui;
  if (plan.height <= plan.window.h) return;
  const float share = plan.window.h / plan.height;
  const Box track{grid.region.right() - ui.px(7), plan.window.y, ui.px(4), plan.window.h};
  const float at = ui.px(grid.state.grid_scroll) / plan.height * track.h;
  ui.fill({track.x, track.y + at, track.w, track.h * share}, ui.theme.border, ui.px(2));
}

}  // namespace attnscope
