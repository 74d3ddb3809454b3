// app/session: the files that were opened or saved last, kept from run to run.
#pragma once

#include <filesystem>
#include <vector>

namespace attnscope {

class Recent {
 public:
  static constexpr std::size_t most = 10;

  /// Kept in `directory`/recent, one path a line; with an empty path only in memory. Ignores errors of
  /// reading and writing.
  explicit Recent(std::filesystem::path directory);

  /// Absolute paths, newest first.
  const std::vector<std::filesystem::path>& paths() const { return paths_; }
  /// Adds a path at the front. Paths that other windows added meanwhile stay.
  void add(const std::filesystem::path&);

 private:
  void read();

  std::filesystem::path file_;  // empty: none
  std::vector<std::filesystem::path> paths_;
};

}  // namespace attnscope
