// app/kit/widgets: a mouse that was not moved since a key chose something points at nothing, so that what the
// key chose is what is shown.
#pragma once

#include <imgui.h>

namespace attnscope {

/// A key has chosen a cell: until it moves, the mouse previews none. In the window that is asked later.
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
