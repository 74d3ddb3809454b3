// tests/support: the threads of this process.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

namespace attnscope::test {

/// The number of threads that this process started itself; OpenGL's threads have names.
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
