// app/views: which regions a mode has, and the card with a message above them.
#include <algorithm>
#include <cmath>

#include "app/layout.hpp"
#include "app/scene.hpp"
#include "app/views/long/long_parts.hpp"
#include "app/views/neuron/neuron_view.hpp"
#include "app/widgets/widgets.hpp"

namespace attnscope {
namespace {

/// What slides the inspector over the picture and away again, at the window's right edge.
void draw_tab(Scene& scene, const Box& tab) {
  const Ui& ui = scene.ui;
  bool& open = scene.view.drawer;
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

/// The inspector in a window of its own, so that what lies below it is out of the mouse's reach.
void draw_drawer(Scene& scene, const Box& box) {
  const Ui& ui = scene.ui;
  ui.fill({box.x - ui.px(6), box.y, ui.px(6), box.h}, 0x30000000u);
  ImGui::SetCursorScreenPos(box.min());
  ImGui::PushStyleColor(ImGuiCol_ChildBg, 0);
  ImGui::BeginChild("Drawer", {box.w, box.h}, ImGuiChildFlags_None,
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

/// In the place of a mode that shows every number.
void draw_too_long(Scene& scene, const Box& box) {
  const Ui& ui = scene.ui;
  ui.fill(box, ui.theme.picture);
  const float y = box.centre_y();
  const std::string_view mode = scene.view.mode == Mode::Walk ? "Walk" : "Compare";
  ui.text(box.centre_x(), y - ui.px(16),
          std::string(mode) + " shows every number, which a long sequence does not keep",
          {type::title, ui.theme.text1, Ink::Semibold, Align::Centre, box.w - ui.px(32)});
  ui.text(box.centre_x(), y + ui.px(14),
          scene.view.mode == Mode::Walk
              ? "Explore (F2) shows this one; open a shorter text for the others."
              : "In Explore (F2) the map shows A, B and A − B: \\ holds what is shown as B.",
          {type::body, ui.theme.text2, Ink::Regular, Align::Centre, box.w - ui.px(32)});
}

/// A or, with everything that belongs to it, what is held.
void draw_long_explore(Scene& scene, const Layout& layout) {
  const auto visible = [](const Box& box) { return box.w >= 8 && box.h >= 8; };
  const bool is_b = long_side(scene) == LongSide::B && why_no_long_difference(scene).empty();
  std::optional<Scene> held;
  Scene& shown = is_b ? held.emplace(scene_of_held(scene)) : scene;
  if (visible(layout.focus)) draw_long_map(shown, layout.focus);
  if (visible(layout.inspector) && !layout.drawer) draw_long_side(shown, layout.inspector);
  if (visible(layout.controls)) draw_long_controls(shown, layout.controls);
  if (visible(layout.tab)) draw_tab(shown, layout.tab);
  if (layout.drawer && visible(layout.inspector)) draw_drawer(shown, layout.inspector);
}

void draw_long_regions(Scene& scene, const Layout& layout) {
  if (scene.view.mode != Mode::Explore) {
    draw_too_long(scene, layout.whole);
  } else {
    draw_splitters(scene.ui, layout, scene.view);
    draw_long_explore(scene, layout);
  }
  draw_top_bar(scene, layout.top);
  draw_status(scene, layout.status);
}

}  // namespace

void draw_regions(Scene& scene, const Layout& layout) {
  if (scene.result.is_long()) return draw_long_regions(scene, layout);
  // Dear ImGui gives a click to the first widget drawn under the mouse: what floats comes first in input,
  // last in paint.
  const auto visible = [](const Box& box) { return box.w >= 8 && box.h >= 8; };
  ViewState& view = scene.view;
  if (view.mode == Mode::Explore) {
    draw_splitters(scene.ui, layout, view);
    if (visible(layout.focus)) {
      if (view.inspector.expanded) {
        draw_large_neurons(scene, layout.focus);
      } else {
        draw_focus(scene, layout.focus);
      }
    }
    if (visible(layout.heads)) draw_heads(scene, layout.heads);
    if (visible(layout.inspector) && !layout.drawer) draw_inspector(scene, layout.inspector);
    if (visible(layout.signals)) {
      if (layout.folded) {
        draw_folded_signals(scene, layout.signals);
      } else {
        draw_signals(scene, layout.signals);
      }
    }
    if (visible(layout.controls)) draw_controls(scene, layout.controls);
    if (visible(layout.tab)) draw_tab(scene, layout.tab);
    if (layout.drawer && visible(layout.inspector)) draw_drawer(scene, layout.inspector);
  } else if (visible(layout.whole)) {
    if (view.mode == Mode::Walk) draw_walk(scene, layout.whole);
    if (view.mode == Mode::Compare) draw_compare(scene, layout.whole);
  } else {
    view.walk.playing = false;  // out of sight nothing moves, and the window sleeps
    view.walk.shown = 1;
  }
  if (visible(layout.strip)) draw_token_strip(scene, layout.strip);
  draw_top_bar(scene, layout.top);
  draw_status(scene, layout.status);
}

}  // namespace attnscope
