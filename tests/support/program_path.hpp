// tests: where the program stands that is tested.
#pragma once

#include <filesystem>
#include <string>

namespace attnscope::test {

/// The program beside the one that runs: each build tree has all of its own in one folder.
inline std::string program_path() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / "attnscope";
}

}  // namespace attnscope::test
