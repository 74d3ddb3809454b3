// app/kit/widgets: after a key has chosen something, the mouse points at nothing until it moves, so that the
// key's choice is shown.
#pragma once

#include <imgui.h>

namespace attnscope {

/// Call after a key has chosen a cell: the mouse previews no cell until it moves. Call in the window that
/// calls is_mouse_resting().
inline void rest_mouse() {
  ImGuiStorage& storage = *ImGui::GetStateStorage();
  storage.SetBool(ImGui::GetID("mouse rests"), true);
  storage.SetFloat(ImGui::GetID("mouse x"), ImGui::GetIO().MousePos.x);
  storage.SetFloat(ImGui::GetID("mouse y"), ImGui::GetIO().MousePos.y);
}

inline bool is_mouse_resting() {
  ImGuiStorage& storage = *ImGui::GetStateStorage();
  bool& rests = *storage.GetBoolRef(ImGui::GetID("mouse rests"));
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  rests = rests && mouse.x == storage.GetFloat(ImGui::GetID("mouse x")) &&
          mouse.y == storage.GetFloat(ImGui::GetID("mouse y"));
  return rests;
}

}  // namespace attnscope
