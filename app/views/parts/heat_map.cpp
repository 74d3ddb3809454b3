#include "app/views/parts/heat_map.hpp"

#include <algorithm>

#include <imgui_internal.h>

#include "app/scene/stops.hpp"
#include "app/state/window_state.hpp"
#include "app/views/parts/map_parts.hpp"
#include "app/views/parts/mask_painter.hpp"

namespace attnscope {
namespace {

/// Draws the focus ring of the map; the arrows move the cell instead of leaving the map.
void take_arrows(const MapFrame& m) {
  const Ui& ui = m.ui();
  ui.frame(m.cells.grown(ui.px(3)), ui.theme.query, ui.px(2), ui.px(4));
  m.scene.view.keyboard.on_map = true;
  for (const ImGuiKey key : {ImGuiKey_LeftArrow, ImGuiKey_RightArrow, ImGuiKey_UpArrow, ImGuiKey_DownArrow})
    ImGui::SetKeyOwner(key, ImGui::GetCurrentFocusScope());  // that of run_keyboard
}

/// A click chooses the cell, hovering previews it; everything else that the mouse can do is a gesture.
void take_mouse(const MapFrame& m) {
  const std::string id = std::string(m.style.name) + " " + std::to_string(m.b);
  KeyboardState& keyboard = m.scene.view.keyboard;
  if (m.is_chosen && keyboard.wanted == Stop::Focus) take_keyboard(keyboard);
  ImGui::SetNextItemAllowOverlap();  // a notice may float above the cells
  const Ui::Touch touch = m.ui().touch(id.c_str(), m.cells);
  if (touch.focused) take_arrows(m);
  if (touch.clicked && !ImGui::IsMouseReleased(0)) {  // by the keyboard
    m.scene.next.locked = true;
    return;
  }
  if (touch.hovered && !touch.pointed) return;  // focused by keyboard: the mouse is elsewhere
  const bool is_gesture = take_gestures(m, touch, !is_painting(m.scene));
  if (is_gesture || (!touch.hovered && !touch.held && !touch.clicked)) return;
  if (!ImGui::IsMousePosValid()) return;
  const Cell under = m.under(ImGui::GetIO().MousePos);
  if (paint_mask(m.scene, touch, m.b, under, m.visible_cell(under))) return;
  if (touch.clicked) {
    m.scene.next.sequence = m.b;
    m.scene.next.choose(under);
  }
  if (touch.hovered && m.is_chosen) {
    m.scene.next.hovered_cell = under;
  } else if (touch.hovered) {
    m.scene.view.hint = "click to look at this sequence";
  }
}

void draw_caption(const MapFrame& m) {
  if (!m.style.caption) return;
  const Ui& ui = m.ui();
  const auto& sequences = m.scene.result.document.input.sequences;
  const std::string text =
      m.b < static_cast<std::int64_t>(sequences.size()) ? sequences[static_cast<std::size_t>(m.b)].text : "";
  ui.text(
      m.area.x, m.area.y + ui.px(10), std::to_string(m.b + 1) + "  " + own(text),
      {type::label, m.is_chosen ? ui.theme.text1 : ui.theme.text3, m.is_chosen ? Ink::Medium : Ink::Regular,
       Align::Left, m.area.w - (m.is_zoomed() ? ui.px(104) : 0)});
}

/// The width of the strip at the right: what the map, limited by its height, leaves free.
float width_of_strip(const MapFrame& m) {
  return std::min(m.area.right() - m.cells.right() - m.strip_gap(), m.ui().px(288));
}

}  // namespace

Box draw_heat_map(Scene& scene, const Box& area, std::int64_t b, const HeatMapStyle& style) {
  const Ui& ui = scene.ui;
  const MapFrame m = plan_map(scene, area, b, style);
  if (m.cells.w < 1 || m.cells.h < 1) return {area.x, area.y, 0, 0};
  // A request moves the part in sight, so the plan is made again before anything is drawn.
  if (follow_requests(m)) return draw_heat_map(scene, area, b, style);
  draw_caption(m);
  draw_axis_names(m);
  draw_labels(m);
  const ColourScale scale = style.scale ? *style.scale : colour_scale(scene, m.plane, m.h);
  const std::string place = style.name + (" " + std::to_string(b));
  draw_matrix(scene, {place.c_str(), m.cells, m.plane, b, m.h, scale, m.part()});
  draw_values(m, scale);
  const float strip = style.strips ? width_of_strip(m) : 0;
  if (style.strips) draw_strips(m, strip);
  draw_crosshair(m, m.cells.right() + (style.strips ? m.strip_gap() + strip : 0));
  draw_mark(m);
  take_mouse(m);
  draw_scroll_bars(m);
  const float margin = ui.px(4);
  if (style.read_out) draw_read_out(m, {area.x, area.y - margin, area.w, area.h + margin});
  return m.cells;
}

}  // namespace attnscope
