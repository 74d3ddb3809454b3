// app/pages/explore: the regions around one head, drawn where the layout has them.
#include <cmath>
#include <optional>

#include "app/kit/widgets/widgets.hpp"
#include "app/pages/explore/page.hpp"
#include "app/scene/scene.hpp"
#include "app/scene/stops.hpp"
#include "app/state/regions/inspector_state.hpp"
#include "app/state/regions/layout.hpp"
#include "app/state/regions/long_state.hpp"
#include "app/state/regions/regions_state.hpp"
#include "app/views/focus/focus_parts.hpp"
#include "app/views/long/long_parts.hpp"
#include "app/views/neuron/neuron_view.hpp"
#include "app/views/start/start.hpp"

namespace attnscope {
namespace {

/// The tab at the window's right edge that slides the inspector over the picture and away again.
void draw_tab(Scene& scene, const Box& tab) {
  const Ui& ui = scene.ui;
  bool& open = regions_of(scene.view).drawer;
  const Ui::Touch touch = ui.touch("Inspector drawer", tab);
  if (touch.hovered) ui.fill(tab, ui.theme.control_hover);
  ui.vertical(tab.x, tab.y, tab.h, ui.theme.hairline);
  if (touch.focused) ui.frame(tab, ui.theme.query, ui.px(2));
  const Rgba ink = open ? ui.theme.query : touch.hovered ? ui.theme.text1 : ui.theme.text2;
  const float x = tab.centre_x(), y = tab.y + ui.px(20), r = ui.px(4) * (open ? 1.f : -1.f);
  const ImVec2 chevron[3] = {{x - r / 2, y - ui.px(4)}, {x + r / 2, y}, {x - r / 2, y + ui.px(4)}};
  ui.polyline(chevron, ink, ui.px(1.5f));
  const float width = ui.text_width("Inspector", type::label, Ink::Medium);
  if (tab.h > width + ui.px(64))
    ui.upright_text(x, std::round(tab.y + ui.px(36) + width), "Inspector", {type::label, ink, Ink::Medium});
  tooltip(ui, touch.hovered, tab,
          {open ? "Close the inspector" : "Open the inspector",
           {},
           "The window is narrow: the numbers behind the cell slide over the picture.",
           "5"});
  if (touch.clicked) open = !open;
}

/// The inspector in a window of its own, so that the mouse does not reach what is below it.
void draw_drawer(Scene& scene, const Box& box) {
  const Ui& ui = scene.ui;
  ui.fill({box.x - ui.px(6), box.y, ui.px(6), box.h}, 0x30000000u);
  ImGui::SetCursorScreenPos(box.min());
  ImGui::PushStyleColor(ImGuiCol_ChildBg, 0);
  ImGui::BeginChild("Drawer", {box.w, box.h}, ImGuiChildFlags_NavFlattened,
                    ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  ui.fill(box, ui.theme.panel);
  if (scene.result.is_long()) {
    draw_long_side(scene, box);
  } else {
    draw_inspector(scene, box);
  }
  ImGui::EndChild();
  ImGui::PopStyleColor();
}

void draw_explore_focus(Scene& scene, const Box& box) {
  if (inspector_of(scene.view).expanded) {
    draw_large_neurons(scene, box);
  } else {
    draw_focus(scene, box);
  }
}

}  // namespace

std::vector<Stop> Explore::stops(const Layout& layout) const {
  std::vector<Stop> there;
  if (has_room(layout.controls)) there.push_back(Stop::Controls);
  if (has_room(layout.heads)) there.push_back(Stop::Heads);
  if (has_room(layout.focus)) there.push_back(Stop::Focus);
  if (has_room(layout.inspector)) there.push_back(Stop::Inspector);
  if (has_room(layout.signals) && !layout.folded) there.push_back(Stop::Signals);
  return there;
}

void Explore::draw_regions(Scene& scene, const Layout& layout, Stops& stops) const {
  ViewState& view = scene.view;
  draw_splitters(scene.ui, layout, view);
  if (has_room(layout.controls))
    stops.draw(Stop::Controls, false, [&] { draw_controls(scene, layout.controls); });
  if (has_room(layout.heads)) stops.draw(Stop::Heads, false, [&] { draw_heads(scene, layout.heads); });
  const bool map = !inspector_of(view).expanded && shows_map(view);
  if (has_room(layout.focus)) stops.draw(Stop::Focus, map, [&] { draw_explore_focus(scene, layout.focus); });
  if (has_room(layout.inspector) && !layout.drawer)
    stops.draw(Stop::Inspector, false, [&] { draw_inspector(scene, layout.inspector); });
  if (has_room(layout.start)) draw_start(scene, layout.start);
  if (has_room(layout.tab)) draw_tab(scene, layout.tab);
  if (layout.drawer && has_room(layout.inspector))
    stops.draw(Stop::Inspector, false, [&] { draw_drawer(scene, layout.inspector); });
  if (!has_room(layout.signals)) return;
  stops.draw(Stop::Signals, false, [&] {
    layout.folded ? draw_folded_signals(scene, layout.signals) : draw_signals(scene, layout.signals);
  });
}

/// Draws A, or the held B with everything that belongs to it.
void Explore::draw_long(Scene& scene, const Layout& layout) const {
  draw_splitters(scene.ui, layout, scene.view);
  const bool is_b = long_side(scene) == LongSide::B && why_no_long_difference(scene).empty();
  std::optional<Scene> held;
  Scene& shown = is_b ? held.emplace(scene_of_held(scene)) : scene;
  if (has_room(layout.focus)) draw_long_map(shown, layout.focus);
  if (has_room(layout.inspector) && !layout.drawer) draw_long_side(shown, layout.inspector);
  if (has_room(layout.controls)) draw_long_controls(shown, layout.controls);
  if (has_room(layout.tab)) draw_tab(shown, layout.tab);
  if (layout.drawer && has_room(layout.inspector)) draw_drawer(shown, layout.inspector);
}

}  // namespace attnscope
