// app/views/model: the edges of the grid: column numbers, scroll bar.
#include <algorithm>
#include <string>

#include "app/views/model/grid_regions.hpp"

namespace attnscope {
namespace {

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
  // A grid for a file has no chosen head.
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
