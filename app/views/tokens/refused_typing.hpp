// app/views/tokens: typed letters without a text field, such as after a Ctrl+L where no text can be typed.
// They are text, so they must not run the actions of single keys.
#pragma once

#include <string_view>

#include <imgui.h>

#include "app/state/keyboard_state.hpp"

namespace attnscope {

inline constexpr std::string_view no_key_acts =
    "No key acts while words are typed, and there is no sentence for them";

/// Typed letters are ignored until a click, Escape or a pause of 2 s. The status line says so.
inline void refuse_typing(KeyboardState& keyboard) {
  constexpr double pause = 2;  // seconds
  keyboard.notice = {no_key_acts, "", false, ImGui::GetTime() + pause};
}

/// Called once a frame, before its keys run actions.
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
