// app/views/model: mouse and keyboard in the grid: a head is previewed, locked, opened; the grid scrolls.
#include <algorithm>
#include <cmath>

#include "app/kit/ui/number_format.hpp"
#include "app/views/model/grid_colours.hpp"
#include "app/views/model/grid_regions.hpp"
#include "app/views/model/parts.hpp"

namespace attnscope {
namespace {

/// The head whose picture, or the gap around it, is at that point.
std::optional<ModelHead> head_at(const GridPlan& plan, ImVec2 point) {
  if (!plan.window.contains(point)) return std::nullopt;
  for (const GridPlan::Cell& cell : plan.cells) {
    const float gap = (plan.pitch - plan.side) / 2;
    if (cell.box.grown(gap).contains(point)) return cell.head;
  }
  return std::nullopt;
}

/// The nearest head in this direction, whole steps of −1, 0, 1; the same head if there is none.
ModelHead neighbour(const GridPlan& plan, const ModelHead& from, int right, int down) {
  const GridPlan::Cell* const here = find_cell(plan, from);
  if (here == nullptr) return from;
  const GridPlan::Cell* best = here;
  float nearest = INFINITY;
  for (const GridPlan::Cell& cell : plan.cells) {
    const float dx = cell.box.x - here->box.x, dy = cell.box.y - here->box.y;
    const float along = right != 0 ? dx * static_cast<float>(right) : dy * static_cast<float>(down);
    const float aside = std::abs(right != 0 ? dy : dx);
    if (along < 1 || (right != 0 && aside > 1)) continue;
    if (const float far = along + 4 * aside; far < nearest) {
      nearest = far;
      best = &cell;
    }
  }
  return best->head;
}

void make_visible(const GridFrame& grid, const ModelHead& head) {
  const GridPlan& plan = grid.plan;
  const Ui& ui = grid.ui;
  const GridPlan::Cell* const cell = find_cell(plan, head);
  if (cell == nullptr) return;
  const float above = plan.window.y + ui.px(4) - cell->box.y,
              below = cell->box.bottom() + ui.px(4) - plan.window.bottom();
  if (above > 0) grid.state.grid_scroll -= above / ui.scale();
  if (below > 0) grid.state.grid_scroll += below / ui.scale();
  grid.state.grid_scroll = std::max(0.f, grid.state.grid_scroll);
}

/// Draws the focus ring of the grid; arrows go from head to head instead of leaving it.
void take_arrows(const GridFrame& grid) {
  const GridPlan& plan = grid.plan;
  const Ui& ui = grid.ui;
  ui.frame({plan.window.x - ui.px(2), plan.window.y, plan.window.w + ui.px(4), plan.window.h}, ui.theme.query,
           ui.px(2), ui.px(4));
  take_arrow_keys([&](int right, int down) {
    const ModelHead to = neighbour(plan, grid.chosen, right, down);
    if (to == grid.chosen) return;
    look_at(grid.scene, to);
    make_visible(grid, to);
  });
}

/// The name of a number in a tooltip, and its explanation.
struct ScoreWords {
  std::string_view name, why;
};
ScoreWords words_of_score(HeadMeasure measure) {
  switch (measure) {
    case HeadMeasure::Previous:
      return {"previous token", "The mean weight on the token before, on this text."};
    case HeadMeasure::First: return {"first token", "The mean weight on the first token, on this text."};
    case HeadMeasure::Induction:
      return {"induction", "The mean weight on what followed the same token, on repeated random tokens."};
    case HeadMeasure::Duplicate:
      return {"duplicate token",
              "The mean weight on the same token elsewhere, on random tokens that are repeated."};
    case HeadMeasure::Effect:
      return {"effect", "How the logit of the likeliest token changes when the head alone is zeroed."};
    case HeadMeasure::Entropy: break;
  }
  return {"entropy ÷ ln n", "Entropy over its maximum, ln of the allowed keys."};
}

/// Shown only if the panel beside the grid does not have the same content.
void show_tip(const GridFrame& grid, const ModelHead& head, bool hovered) {
  const GridPlan::Cell* const cell = find_cell(grid.plan, head);
  if (cell == nullptr || (grid.state.colour == HeadColour::Pattern && grid.state.order == GridOrder::Layers))
    return;
  const HeadMeasure told = told_measure(grid, head);
  const double value = measure(grid.reading, grid.facts, told, head).value;
  const std::string number = !std::isnan(value)                ? fixed(value, 2)
                             : grid.reading.not_finite.empty() ? "not known yet"
                                                               : "NaN";
  const ScoreWords words = words_of_score(told);
  tooltip(grid.ui, hovered, cell->box.grown(grid.ui.px(3)),
          {"head " + head_name(grid.spec, head), inner(words.name) + "  " + number, words.why, {}});
}

}  // namespace

void point_at_grid(GridFrame& grid) {
  const GridPlan& plan = grid.plan;
  const Ui::Touch touch = grid.ui.touch("All heads", plan.window);
  const ImGuiIO& io = ImGui::GetIO();
  grid.state.hovered.reset();
  if (touch.focused) take_arrows(grid);
  const bool by_key = touch.clicked && !ImGui::IsMouseReleased(0);
  if (by_key) return open_in_explore(grid.scene);
  if (touch.hovered && io.MouseWheel != 0) {
    const float most = std::max(0.f, plan.height - plan.window.h) / grid.ui.scale();
    grid.state.grid_scroll = std::clamp(grid.state.grid_scroll - 40 * io.MouseWheel, 0.f, most);
  }
  if (!touch.pointed && !touch.clicked) return;
  const std::optional<ModelHead> head = head_at(plan, io.MousePos);
  if (!head) return;
  point_at_head(grid.scene, *head);
  if (!grid.state.locked && head->of == grid.chosen.of && head->block == grid.chosen.block)
    grid.scene.next.hovered_head = head->head;
  show_tip(grid, *head, touch.hovered);
  if (touch.clicked) click_on_head(grid.scene, *head);
}

}  // namespace attnscope
