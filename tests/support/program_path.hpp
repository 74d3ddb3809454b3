// tests: the paths of the tested programs.
#pragma once

#include <filesystem>
#include <string>

namespace attnscope::test {

/// The program beside the running one: each build tree has all its programs in one folder.
inline std::string program_path(const std::string& name = "attnscope") {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / name;
}

}  // namespace attnscope::test
