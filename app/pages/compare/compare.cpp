// app/pages/compare: A, B and A − B of the chosen head side by side, one selection and one hover in all
// three; below them the differences by row and by head.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "app/pages/compare/card.hpp"
#include "app/pages/compare/parts.hpp"
#include "app/state/compare_state.hpp"
#include "app/state/regions/focus_state.hpp"
#include "app/state/regions/regions_state.hpp"

namespace attnscope {
namespace {

/// The head of B that is compared with the shown head: the one chosen for B, or the same.
std::int64_t held_head_of(const Scene& scene) {
  const std::int64_t chosen = compare_of(scene.view).held_head;
  const bool there = scene.held && chosen >= 0 && chosen < scene.held->result->layer().dimensions.heads;
  return there ? chosen : scene.head();
}

/// The selection of a B with other tokens or heads: the cell of A while B has it, and a hovered cell of its
/// own.
Selection selection_in_b(const Scene& scene) {
  const Dimensions& d = scene.held->result->layer().dimensions;
  Selection own = scene.selection;
  own.head = held_head_of(scene);
  own.hovered_head.reset();
  if (compare_of(scene.view).hovered_in_b) own.hovered_cell = compare_of(scene.view).hovered_in_b;
  return kept_inside(own, d);
}

constexpr Cell nowhere{-1, -1};

/// A cell that is hovered or chosen in a B of another size is also hovered or chosen in A, if A has it.
void carry_over(Scene& scene, const Selection& in_b) {
  const Dimensions& d = scene.result.dimensions;
  compare_of(scene.view).hovered_in_b = in_b.hovered_cell;
  if (in_b.hovered_cell && is_inside(*in_b.hovered_cell, d)) scene.next.hovered_cell = in_b.hovered_cell;
  if (in_b.cell == nowhere || !is_inside(in_b.cell, d)) return;
  scene.next.cell = in_b.cell;
  scene.next.locked = true;
}

Panel panel_at(const Ui& ui, const Box& maps, int i, bool compact) {
  const float pad = ui.px(compact ? 14 : 24), width = maps.w / 3;
  const float left = std::round(maps.x + width * static_cast<float>(i)),
              right = std::round(maps.x + width * static_cast<float>(i + 1));
  Panel panel;
  panel.whole = {left, maps.y, right - left, maps.h};
  const float inner = std::max(0.f, right - left - 2 * pad);
  panel.head = {left + pad, maps.y + ui.px(compact ? 2 : 8), inner, ui.px(76)};
  const float top = panel.head.bottom() + ui.px(compact ? 2 : 10), bar = ui.px(compact ? 54 : 60);
  panel.map = {left + pad, top, inner, std::max(0.f, maps.bottom() - bar - top)};
  panel.bar_area = {left + pad, top, inner, std::max(0.f, maps.bottom() - top)};
  return panel;
}

/// The picture in a panel; `cells` is empty if nothing is drawn.
struct Picture {
  Scene* side = nullptr;
  HeatMapStyle style = {};
  Box cells = {};

  bool hovered() const {
    return side && cells.contains(ImGui::GetIO().MousePos) && side->selection.hovered_cell;
  }
};

void draw_picture(Picture& picture, const Panel& panel) {
  const Ui& ui = picture.side->ui;
  if (panel.map.w < ui.px(100) || panel.map.h < ui.px(80)) return;
  picture.cells = draw_heat_map(*picture.side, panel.map, picture.side->sequence(), picture.style);
}

Picture draw_side(const Sides& sides, Scene& side, Plane plane, const Panel& panel, const char* name) {
  Picture picture{&side,
                  {.wide_strip = false,
                   .strips = false,
                   .read_out = false,
                   .plane = plane,
                   .scale = shared_scale(sides),
                   .name = name}};
  // A newly chosen cell is scrolled into sight in A alone; a B of another size follows A.
  std::optional<Cell>& seen = focus_gesture_of(side.view).seen_cell;
  const std::optional<Cell> was = seen;
  if (&side.selection != &sides.a.selection) seen = side.selection.cell;
  draw_picture(picture, panel);
  if (&side.selection != &sides.a.selection) seen = was;
  if (picture.cells.w > 0) draw_bar_of_side(sides, side, plane, {panel.bar_area, picture.cells});
  return picture;
}

Picture draw_difference(const Sides& sides, const Panel& panel) {
  Picture picture{
      &sides.a,
      {.wide_strip = false,
       .strips = false,
       .read_out = false,
       .plane = sides.difference,
       .scale = difference_scale(sides, false),
       .print = [&sides](double value, float side) { return difference_in_cell(sides, value, side); },
       .name = "compare A-B"}};
  draw_picture(picture, panel);
  if (picture.cells.w > 0) draw_bar_of_difference(sides, {panel.bar_area, picture.cells});
  return picture;
}

/// The card is drawn in the hovered picture; without one in the panel of the difference, if it hides nothing
/// there.
void draw_cards(const Sides& sides, const std::array<Panel, 3>& panels,
                const std::array<Picture, 3>& pictures) {
  if (!sides.comparable) return;
  std::size_t at = 2;
  bool hovered = false;
  for (std::size_t i = 0; i < pictures.size() && !hovered; ++i)
    if (hovered = pictures[i].hovered(); hovered) at = i;
  const Picture& picture = pictures[at];
  if (picture.cells.w <= 0) return;
  const MapFrame map = plan_map(*picture.side, panels[at].map, picture.side->sequence(), picture.style);
  draw_card(sides, {panels[at].bar_area, map, !hovered});
}

void draw_panels(Sides& sides, const std::array<Panel, 3>& panels) {
  const Ui& ui = sides.ui();
  const auto controls = [&](const Panel& panel, void (*draw)(Sides&, const Box&)) {
    ui.clip(panel.whole);
    draw(sides, panel.head);
    ui.unclip();
  };
  controls(panels[0], draw_head_of_a);
  std::array<Picture, 3> pictures;
  pictures[0] = draw_side(sides, sides.a, sides.a_plane, panels[0], "compare A");
  if (!sides.b) {
    return draw_nothing_held(sides.a, panels[1], panels[2]);
  }
  controls(panels[1],
           [](Sides& both, const Box& head) { choose_held_head(both, draw_head_of_b(both, head)); });
  controls(panels[2], draw_head_of_difference);
  if (sides.b->stats.tensor(sides.b_plane))
    pictures[1] = draw_side(sides, *sides.b, sides.b_plane, panels[1], "compare B");
  if (sides.comparable) {
    pictures[2] = draw_difference(sides, panels[2]);
  } else {
    const std::string why = why_no_cells(sides.a.result.dimensions, sides.b->result.dimensions);
    draw_no_difference(ui, panels[2],
                       why.empty()
                           ? "What is held has no such stage: choose Scores, Scaled, Masked or Weights "
                             "above."
                           : why);
  }
  draw_cards(sides, panels, pictures);
}

}  // namespace

float plots_height(const Scene& scene, const Box& region) {
  const Ui& ui = scene.ui;
  if (regions_of(scene.view).is_hidden(Region::Signals)) return 0;
  const float height = std::clamp(std::round(region.h * 0.26f), ui.px(152), ui.px(320));
  return region.h - height < ui.px(260) ? 0 : height;
}

std::array<Panel, 3> draw_panels_ground(const Scene& scene, const Box& maps) {
  const Ui& ui = scene.ui;
  ui.fill(maps, ui.theme.picture);
  std::array<Panel, 3> panels;
  for (int i = 0; i < 3; ++i) {
    Panel& panel = panels[static_cast<std::size_t>(i)];
    panel = panel_at(ui, maps, i, scene.compact);
    if (i > 0 && (scene.held || i == 1)) ui.vertical(panel.whole.x, maps.y, maps.h, ui.theme.hairline);
  }
  return panels;
}

void draw_compare(Scene& scene, const Box& region) {
  const Ui& ui = scene.ui;
  const float below = plots_height(scene, region);
  const Box maps{region.x, region.y, region.w, region.h - below};
  ui.clip(region);
  const std::array<Panel, 3> panels = draw_panels_ground(scene, maps);
  const auto draw = [&](Scene* held) {
    Sides sides = sides_of(scene, held);
    draw_panels(sides, panels);
    if (below > 0) draw_compare_plots(sides, {region.x, maps.bottom(), region.w, below});
  };
  const std::int64_t held_head = held_head_of(scene);
  scene.stats.pair_heads(scene.head(), held_head);
  if (!scene.held) {
    draw(nullptr);
  } else if (scene.stats.can_compare()) {
    compare_of(scene.view).hovered_in_b.reset();
    Selection own = scene.selection;
    own.head = held_head;
    own.hovered_head.reset();
    Scene b = held_head == scene.head() ? scene_of_held(scene) : scene_of_held(scene, own, scene.next);
    draw(&b);
  } else {
    Selection own = selection_in_b(scene);
    Selection next = own;
    next.hovered_cell.reset();
    next.cell = nowhere;  // until a cell is clicked
    Scene b = scene_of_held(scene, own, next);
    draw(&b);
    carry_over(scene, next);
  }
  ui.unclip();
}

}  // namespace attnscope
