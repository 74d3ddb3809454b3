// tests: where the programs stand that are tested.
#pragma once

#include <filesystem>
#include <string>

namespace attnscope::test {

/// The program beside the one that runs: each build tree has all of its own in one folder.
inline std::string program_path(const std::string& name = "attnscope") {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / name;
}

}  // namespace attnscope::test
