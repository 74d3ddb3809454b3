// app/window: the real window. The only place that knows GLFW; it draws when something happened and sleeps
// otherwise.
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
  Answers answers;                      // to what the file may not say
  std::optional<std::string> language;  // else what was chosen last, else what LANGUAGE or LANG asks for
  BackendPreference backend = BackendPreference::Auto;
  bool fresh = false;                 // looks as in the first run, and nothing is brought back
  bool watch = false;                 // begins on the page Watch; `file` is its stream, or there is none
  WindowDoor* door = nullptr;         // what comes through it is opened, too; null: nothing does
  std::function<void()> opened = {};  // called once the window is there
};

/// Opens the window, with the file in it when one is given, as it looked when one was closed last, and
/// returns 0 once it was closed. Throws Error when there is no display, no OpenGL 3.3 on it, or not the
/// backend that is asked for.
int run_window(const WindowOptions&);

}  // namespace attnscope
