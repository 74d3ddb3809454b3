// app/session: the files that were opened or saved last, kept from run to run.
#pragma once

#include <filesystem>
#include <vector>

namespace attnscope {

class Recent {
 public:
  static constexpr std::size_t most = 10;

  /// Kept in `directory`/recent, one path a line; an empty directory keeps them while this lives. What cannot
  /// be read or written is no reason to complain.
  explicit Recent(std::filesystem::path directory);

  /// Absolute, newest first.
  const std::vector<std::filesystem::path>& paths() const { return paths_; }
  /// To the front. What other windows added meanwhile stays.
  void add(const std::filesystem::path&);

 private:
  void read();

  std::filesystem::path file_;  // empty: none
  std::vector<std::filesystem::path> paths_;
};

}  // namespace attnscope
