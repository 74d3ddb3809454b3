// app/views/tokens: letters for which there is no field, as behind a Ctrl+L where nothing can be typed. They
// were meant for one, so none of them is an action's key.
#pragma once

#include <string_view>

#include <imgui.h>

#include "app/state/keyboard_state.hpp"

namespace attnscope {

inline constexpr std::string_view no_key_acts =
    "No key acts while words are typed, and there is no sentence for them";

/// What is typed next goes nowhere, until a click, Escape or a pause. The status line says so.
inline void refuse_typing(KeyboardState& keyboard) {
  constexpr double pause = 2;  // seconds
  keyboard.notice = {no_key_acts, "", false, ImGui::GetTime() + pause};
}

/// Once a frame, before any key of it does something.
inline bool is_typing_refused(KeyboardState& keyboard) {
  const ImGuiIO& io = ImGui::GetIO();
  if (keyboard.notice.name != no_key_acts || ImGui::GetTime() >= keyboard.notice.until) return false;
  const bool clicked = ImGui::IsMouseClicked(0) || ImGui::IsMouseClicked(1);
  if (clicked || io.WantTextInput || ImGui::IsKeyPressed(ImGuiKey_Escape)) {
    keyboard.notice = {};
    return false;
  }
  if (!io.InputQueueCharacters.empty()) refuse_typing(keyboard);
  return true;
}

}  // namespace attnscope
