// app: the real window. The only place that knows GLFW; it draws when something happened and sleeps
// otherwise.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "app/choose_backend.hpp"
#include "core/edits/dump.hpp"

namespace attnscope {

/// What the window opens; of a dump that layer, or the first, with what is said about it.
struct FileWish {
  std::optional<std::filesystem::path> file;
  std::string layer;
  Answers answers;
};

/// Opens the window, with the file in it when one is given, and returns 0
/// once it was closed. Without a language it speaks the one that LANGUAGE or LANG asks for. Throws Error when
/// there is no display, no OpenGL 3.3 on it, or not the backend that is wished for.
int run_window(const FileWish& wish, const std::optional<std::string>& language, BackendWish backend);

}  // namespace attnscope
