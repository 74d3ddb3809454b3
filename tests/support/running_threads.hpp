// tests/support: the threads that this process has.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

namespace attnscope::test {

/// How many threads this process has that it started itself: OpenGL names its own.
inline int running_threads() {
  const auto name_of = [](const std::filesystem::path& task) {
    std::string name;
    std::getline(std::ifstream(task / "comm") >> std::ws, name);
    return name;
  };
  const std::string own = name_of("/proc/self");
  int count = 0;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task"))
    if (name_of(task.path()) == own) ++count;
  return count;
}

}  // namespace attnscope::test
