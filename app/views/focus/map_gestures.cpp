// app/views: moving in a heatmap: the wheel zooms, a drag moves, scroll bars at the edges show the part in
// sight.
#include <algorithm>
#include <cmath>
#include <string>

#include "app/state/regions/focus_state.hpp"
#include "app/views/focus/scroll_bar.hpp"
#include "app/views/parts/map_parts.hpp"

namespace attnscope {
namespace {

constexpr double step_of_wheel = 1.25;  // one notch
constexpr float rows_of_wheel = 3;      // cells that Shift and a notch move by

/// Notes the place of the matrix under the mouse, in cells.
void grip(const MapFrame& m, ImVec2 mouse) {
  FocusGesture& gesture = focus_gesture_of(m.scene.view);
  gesture.grip_query = m.queries().at(m.turned() ? mouse.x : mouse.y);
  gesture.grip_key = m.keys().at(m.turned() ? mouse.y : mouse.x);
}

/// Moves the part in sight so that the gripped place stays under the mouse.
void pan(const MapFrame& m, ImVec2 mouse) {
  const FocusGesture& gesture = focus_gesture_of(m.scene.view);
  FocusState& focus = focus_of(m.scene.view);
  const auto first = [](const Axis& axis, double held, float pixel) {
    return axis.clamped(held - (axis.at(pixel) - axis.first));
  };
  focus.query = first(m.queries(), gesture.grip_query, m.turned() ? mouse.x : mouse.y);
  focus.key = first(m.keys(), gesture.grip_key, m.turned() ? mouse.y : mouse.x);
}

void take_wheel(const MapFrame& m) {
  const ImGuiIO& io = ImGui::GetIO();
  FocusState& focus = focus_of(m.scene.view);
  const auto move = [&](const Axis& axis, float notches) {
    double& first = axis.keys ? focus.key : focus.query;
    const double by = std::max(1.0, axis.shown / 24) * static_cast<double>(rows_of_wheel * notches);
    first = axis.clamped(axis.first - by);
  };
  if (io.KeyShift && io.MouseWheel != 0) {
    move(m.across, io.MouseWheel);
  } else if (io.MouseWheel != 0) {
    const auto side = static_cast<float>(static_cast<double>(m.side) *
                                         std::pow(step_of_wheel, static_cast<double>(io.MouseWheel)));
    zoom_to(m, side, io.MousePos);
  }
  if (io.MouseWheelH != 0) move(m.across, io.MouseWheelH);
}

/// The cell size that Z toggles to: that of the fitted matrix, or one at which numbers can be read, at least
/// twice as large.
float other_side(const MapFrame& m) {
  return m.is_zoomed() ? m.fitted : std::max(readable_side(m.ui()), 2 * m.fitted);
}

}  // namespace

bool take_gestures(const MapFrame& m, const Ui::Touch& touch, bool left_drags) {
  FocusGesture& gesture = focus_gesture_of(m.scene.view);
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const unsigned left = ImGui::GetItemID(), middle = left + 1;
  if (touch.hovered) take_wheel(m);

  if (ImGui::IsItemActivated()) grip(m, mouse);
  if (touch.hovered && ImGui::IsMouseClicked(ImGuiMouseButton_Middle)) {
    grip(m, mouse);
    gesture.dragged = middle;
  }
  if (left_drags && touch.hovered && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
    zoom_to(m, other_side(m), mouse);
    gesture.dragged = left;  // so that the release of the second click chooses no cell
    grip(m, mouse);
    return true;
  }
  const bool pulls =
      left_drags && m.is_zoomed() && touch.held && ImGui::IsMouseDragging(ImGuiMouseButton_Left);
  if (pulls && gesture.dragged == 0) gesture.dragged = left;
  const bool is_left = gesture.dragged == left, is_middle = gesture.dragged == middle;
  if (pulls || (is_middle && ImGui::IsMouseDown(ImGuiMouseButton_Middle))) {
    pan(m, mouse);
    ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeAll);
  }
  if (is_left && !touch.held) gesture.dragged = 0;
  if (is_middle && !ImGui::IsMouseDown(ImGuiMouseButton_Middle)) gesture.dragged = 0;
  return is_left;
}

bool follow_requests(const MapFrame& m) {
  FocusGesture& gesture = focus_gesture_of(m.scene.view);
  if (!m.is_chosen || m.cells.w < 1) return false;
  const bool chose = gesture.seen_cell && *gesture.seen_cell != m.scene.selection.cell;
  gesture.seen_cell = m.scene.selection.cell;
  if (gesture.cells_asked_for) {
    const auto all = static_cast<float>(std::max(m.down.count, m.across.count));
    zoom_to(m, m.fitted * all / static_cast<float>(*gesture.cells_asked_for), m.scene.selection.cell);
    gesture.cells_asked_for.reset();
    return true;
  }
  if (gesture.fit_or_zoom) {
    gesture.fit_or_zoom = false;
    zoom_to(m, other_side(m), m.scene.selection.cell);
    return true;
  }
  if (!chose || !m.is_zoomed()) return false;
  make_visible(m, m.scene.selection.cell);
  return true;
}

void draw_scroll_bars(const MapFrame& m) {
  const Ui& ui = m.ui();
  const float thick = ui.px(4);
  const auto draw = [&](const Axis& axis, const Box& track, bool upright) {
    FocusState& focus = focus_of(m.scene.view);
    FocusGesture& gesture = focus_gesture_of(m.scene.view);
    const std::string label =
        std::string(m.style.name) + (axis.keys ? " keys " : " queries ") + std::to_string(m.b);
    scroll_bar(ui, label.c_str(), {track, upright, static_cast<double>(axis.count), axis.shown},
               axis.keys ? focus.key : focus.query, axis.keys ? gesture.grip_key : gesture.grip_query);
  };
  if (!m.down.is_whole()) draw(m.down, {m.cells.right() + ui.px(5), m.cells.y, thick, m.cells.h}, true);
  if (!m.across.is_whole()) draw(m.across, {m.cells.x, m.cells.bottom() + ui.px(2), m.cells.w, thick}, false);
}

}  // namespace attnscope
