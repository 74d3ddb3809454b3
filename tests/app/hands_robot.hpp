// tests/app: typing with the events of a keyboard, and undoing to the end.
#pragma once

#include <algorithm>
#include <cctype>
#include <string_view>

#include "robot/robot.hpp"

namespace attnscope::test {

/// Every letter is a key that goes down, a character, and the key that goes up, `seconds` before the next
/// one.
inline void type_keys(Robot& robot, std::string_view text, double seconds = 0.1) {
  const int rest = std::max(1, static_cast<int>(seconds * 60) - 1);
  for (const char c : text) {
    const auto letter = static_cast<unsigned char>(c);
    const bool shift = std::isupper(letter) != 0;
    const ImGuiKey key = std::isalpha(letter) ? static_cast<ImGuiKey>(ImGuiKey_A + std::tolower(letter) - 'a')
                         : std::isdigit(letter) ? static_cast<ImGuiKey>(ImGuiKey_0 + c - '0')
                         : c == ' '             ? ImGuiKey_Space
                                                : ImGuiKey_Apostrophe;
    if (shift) ImGui::GetIO().AddKeyEvent(ImGuiMod_Shift, true);
    ImGui::GetIO().AddKeyEvent(key, true);
    ImGui::GetIO().AddInputCharacter(letter);
    robot.frame();
    ImGui::GetIO().AddKeyEvent(key, false);
    if (shift) ImGui::GetIO().AddKeyEvent(ImGuiMod_Shift, false);
    robot.frame(rest);
  }
}

inline void undo(Robot& robot) {
  robot.key(ImGuiKey_Z, ImGuiMod_Ctrl);
  robot.settle();
}
inline void redo(Robot& robot) {
  robot.key(ImGuiKey_Z, ImGuiMod_Ctrl | ImGuiMod_Shift);
  robot.settle();
}

}  // namespace attnscope::test
