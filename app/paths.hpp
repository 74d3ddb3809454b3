// app: where the files that belong to the program lie.
#pragma once

#include <filesystem>

namespace attnscope {

/// The `assets` directory: the environment variable ATTNSCOPE_ASSETS where it is set, else the source tree's.
std::filesystem::path assets_directory();

}  // namespace attnscope
