// app/window: the real window, opened with GLFW. It draws after events and sleeps otherwise.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "app/results/choose_backend.hpp"
#include "core/edits/dump.hpp"

namespace attnscope {

class WindowDoor;

struct WindowOptions {
  std::optional<std::filesystem::path> file;
  std::string layer;                    // of a dump; empty = the first
  Answers answers;                      // to what the file may not tell
  std::optional<std::string> language;  // empty: the one chosen last, else that of LANGUAGE or LANG
  BackendPreference backend = BackendPreference::Auto;
  bool fresh = false;                 // begins as in the first run; nothing is restored
  bool watch = false;                 // begins on the Watch page; `file` is its stream, if given
  WindowDoor* door = nullptr;         // its requests are opened, too; null: none
  std::function<void()> opened = {};  // called once the window is open
};

/// Opens the window with its last look, and the file if one is given; returns 0 when it is closed. Throws
/// Error without a display, without OpenGL 3.3 on it, or without the backend that is asked for.
int run_window(const WindowOptions&);

}  // namespace attnscope
