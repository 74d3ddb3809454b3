// tests/app: a robot with the file dialog.
#pragma once

#include <string>
#include <string_view>

#include "app/controls_robot.hpp"
#include "app/state/files_state.hpp"

namespace attnscope::test {

inline const FileDialog& dialog_of(Robot& robot) { return robot.app().view().files->dialog; }
inline bool is_card_open() { return ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup); }

/// Opens the file menu and chooses a row of it.
inline void from_file_menu(Robot& robot, std::string_view row) {
  robot.click("File");
  robot.frame(3);
  click(robot, row);
  robot.frame(3);
}

/// Types a name into the dialog that is open, and Return.
inline void name_it(Robot& robot, std::string_view name) {
  robot.key(ImGuiKey_A, ImGuiMod_Ctrl);  // the keyboard is in the field for it
  robot.type(name);
  robot.key(ImGuiKey_Enter);
  robot.settle();
}

inline void save_as(Robot& robot, std::string_view path) {
  from_file_menu(robot, "Save as");
  name_it(robot, path);
}

/// Ctrl+O, a path and Return.
inline void open_by_path(Robot& robot, std::string_view path) {
  robot.key(ImGuiKey_O, ImGuiMod_Ctrl);
  robot.frame(3);
  robot.type(path);
  robot.frame(4);
  robot.key(ImGuiKey_Enter);
  robot.settle();
}

}  // namespace attnscope::test
