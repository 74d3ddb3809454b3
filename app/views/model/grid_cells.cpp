// app/views/model: the heads of the grid: pictures of their weights or flat colours, and the marks on them.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "app/state/regions/token_look.hpp"
#include "app/views/model/grid_colours.hpp"
#include "app/views/model/grid_picture.hpp"
#include "app/views/model/grid_regions.hpp"
#include "core/models/changes.hpp"

namespace attnscope {
namespace {

constexpr float muted = 0.22f;  // opacity of what is switched off

/// One colour per head; none while its number is not known.
void draw_flat(const GridFrame& grid) {
  const GridPlan& plan = grid.plan;
  const Ui& ui = grid.ui;
  const ColourScale shown = grid_scale(grid);
  for (const GridPlan::Cell& cell : plan.cells) {
    if (cell.box.bottom() < plan.window.y || cell.box.y > plan.window.bottom()) continue;
    const double value = grid_value(grid, cell.head);
    if (std::isnan(value))
      ui.fill(cell.box, ui.theme.hatch_ground);
    else
      ui.fill(cell.box, colour_of(shown, static_cast<float>(value)));
    // A frame, so that no colour disappears in the ground.
    ui.frame(cell.box, ui.theme.hairline, std::max(1.f, std::floor(ui.scale())));
  }
}

void draw_pictures(const GridFrame& grid) {
  const GridPlan& plan = grid.plan;
  const Ui& ui = grid.ui;
  if (plan.window.w < 1 || plan.window.h < 1) return;  // a window of no height at all
  if (grid.state.colour != HeadColour::Pattern) return draw_flat(grid);
  const Colormap& map = colormap(ui.theme.weights);
  const Rgba clear = ui.theme.picture & 0x00FFFFFFu;  // transparent, since bands and layer numbers lie below
  const ColourScale scale = grid_scale(grid);
  const GridPainter painter{.plan = plan,
                            .spec = grid.spec,
                            .run = grid.run,
                            .map = map,
                            .ground = clear,
                            .hidden = ui.theme.hatch_ground,
                            .nan = ui.theme.nan,
                            .high = scale.high,
                            .norms = grid_norms(grid),
                            .low = scale.log ? scale.low : 0,
                            .by_maximum = pools_by_maximum(grid)};
  const std::uint64_t run = ui.textures.serial(shown_run(grid.scene)),
                      norms = painter.norms != nullptr ? ui.textures.serial(grid.reading.value_norms) : 0;
  std::uint64_t content = mix_hash(mix_hash(mix_hash(grid.reading.ticket, run), norms), painter.high);
  content = mix_hash(mix_hash(content, painter.low), std::uint64_t{painter.by_maximum});
  for (const float number :
       {plan.side, plan.pitch, plan.window.x, plan.window.y, plan.window.w, plan.window.h})
    content = mix_hash(content, number);
  content = mix_hash(content, static_cast<std::uint64_t>(ui.theme.name));
  for (const GridPlan::Cell& cell : plan.cells)
    content = (content ^ std::bit_cast<std::uint32_t>(cell.box.y + cell.box.x * 8192)) * 1099511628211u +
              static_cast<std::uint64_t>(cell.head.block * 4096 + cell.head.head);
  ui.picture("all heads", content, plan.window, [&] { return painter.paint(); });
}

/// A head's weight on a token, by most_given() or most_given_by(); 0 for a token of the other text.
float given(const GridFrame& grid, const ModelHead& head, std::int64_t token) {
  const bool forward = token_look_of(grid.scene.view).direction == Direction::QueryToKeys;
  const std::optional<AttentionOf> stack = grid.scene.selection.hovered_stack;
  const bool of_encoder = head.of == AttentionOf::Encoder || (head.of == AttentionOf::Cross && forward);
  if (stack && of_encoder != (stack == AttentionOf::Encoder)) return 0;
  return forward ? most_given(grid.spec, grid.run, head, token)
                 : most_given_by(grid.spec, grid.run, head, token);
}

/// The marks on the pictures: dimmed by a token, switched off, chosen.
void draw_marks(const GridFrame& grid) {
  const GridPlan& plan = grid.plan;
  const Ui& ui = grid.ui;
  const std::int64_t token = grid.state.token_dims ? grid.scene.selection.hovered_token.value_or(-1) : -1;
  for (const GridPlan::Cell& cell : plan.cells) {
    if (cell.box.bottom() < plan.window.y || cell.box.y > plan.window.bottom()) continue;
    const HeadChange* const change =
        grid.changes.heads.empty() ? nullptr : change_of_head(grid.changes, cell.head);
    const bool off = change != nullptr && (change->kind == HeadChange::Kind::Zero);
    float opacity = off ? muted : 1;
    if (token >= 0) opacity *= muted + (1 - muted) * given(grid, cell.head, token);
    if (opacity < 1) ui.fill(cell.box, fade(ui.theme.picture, 1 - opacity));
    if (off) {
      const std::array<ImVec2, 2> stroke{{{cell.box.x, cell.box.bottom()}, {cell.box.right(), cell.box.y}}};
      ui.polyline(stroke, ui.theme.text3, ui.px(1.5f));
    } else if (change != nullptr) {
      const float side = std::max(ui.px(4), std::round(plan.side / 5));
      const std::array<ImVec2, 3> corner{{{cell.box.right() - side, cell.box.y},
                                          {cell.box.right(), cell.box.y},
                                          {cell.box.right(), cell.box.y + side}}};
      ui.area(corner, ui.theme.query);
    }
  }
  const auto ring = [&](const ModelHead& head, Rgba colour, float thick) {
    if (const GridPlan::Cell* const cell = find_cell(plan, head))
      ui.frame(cell->box.grown(ui.px(plan.pitch - plan.side > ui.px(4) ? 3 : 2)), colour, thick, ui.px(4));
  };
  if (grid.state.hovered && !(*grid.state.hovered == grid.chosen))
    ring(*grid.state.hovered, ui.theme.text3, std::max(1.f, ui.px(1)));
  ring(grid.chosen, ui.theme.query, ui.px(2));
}

}  // namespace

void draw_grid_cells(const GridFrame& grid) {
  draw_pictures(grid);
  draw_marks(grid);
}

void draw_grid_labels(const GridFrame& grid) {
  if (grid.state.order == GridOrder::Layers) return;
  constexpr float size = 11;  // the smallest legible size: the picture is more important
  const GridPlan& plan = grid.plan;
  const Ui& ui = grid.ui;
  for (const GridPlan::Cell& cell : plan.cells) {
    if (cell.box.bottom() < plan.window.y || cell.box.y > plan.window.bottom()) continue;
    const std::string name = head_name(grid.spec, cell.head);
    const float wide = ui.text_width(name, size, Ink::Medium) + ui.px(4), high = ui.px(12);
    // At the upper right, which a causal mask hides.
    if (wide > cell.box.w || 2 * high > cell.box.h) continue;
    const Box box{cell.box.right() - wide, cell.box.y, wide, high};
    ui.fill(box, fade(ui.theme.picture, 0.75f), ui.px(2));
    const bool chosen = cell.head == grid.chosen;
    ui.text(box.centre_x(), box.centre_y(), name,
            {size, chosen ? ui.theme.query : ui.theme.text1, Ink::Medium, Align::Centre});
  }
}

}  // namespace attnscope
