// app: the real window. The only place that knows GLFW; it draws when something happened and sleeps
// otherwise.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "app/choose_backend.hpp"

namespace attnscope {

/// Opens the window, with `file` (of a dump that layer, or the first) in it when one is given, and returns 0
/// once it was closed. Without a language it speaks the one that LANGUAGE or LANG asks for. Throws Error when
/// there is no display, no OpenGL 3.3 on it, or not the backend that is wished for.
int run_window(const std::optional<std::filesystem::path>& file, const std::string& layer,
               const std::optional<std::string>& language, BackendWish backend);

}  // namespace attnscope
