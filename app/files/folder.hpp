// app/files: what is in a folder, read behind the window: the window does not wait for large folders and
// sleepy disks.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/worker.hpp"

namespace attnscope {

struct FolderEntry {
  std::string name;  // bytes as the system has them
  bool is_folder = false;
  std::uint64_t bytes = 0;
  std::int64_t changed = 0;  // seconds since 1970; 0 = not known
};

enum class FolderOrder : std::uint8_t { Name, Size, Changed };

struct Folder {
  std::filesystem::path path;
  std::vector<FolderEntry> entries;  // folders first, in the order of their names
  std::string trouble;  // one sentence: why there is no telling what is in it; empty when there is
};

/// Folders first, then by what is asked for; names as people sort them: a before B, 2 before 10.
void sort_entries(std::vector<FolderEntry>&, FolderOrder, bool backwards);
/// Whether one name comes before another.
bool comes_before(const std::string& a, const std::string& b);

/// A folder that is being read. Copies are of the same reading; when the last one goes, the reading stops at
/// the next name. None of them waits for a disk that does not answer.
class FolderReading {
 public:
  FolderReading() = default;  // nothing is read

  bool is_reading() const;
  /// Waits for the end, but not longer. True once it is there.
  bool wait(std::chrono::milliseconds longest) const;
  double seconds() const;
  /// Entries seen so far.
  std::int64_t count() const;
  /// What was read; only once nothing is read any more.
  const Folder& folder() const;

 private:
  friend class FolderReader;
  class Work;
  explicit FolderReading(std::shared_ptr<Work> work) : work_(std::move(work)) {}
  std::shared_ptr<Work> work_;
};

/// Owns the threads that read folders: one for each folder that is read at the same time, so that a disk that
/// does not answer keeps no other folder waiting. Its end stops them and waits for them.
class FolderReader {
 public:
  FolderReading read(std::filesystem::path folder);

 private:
  std::list<Worker> workers_;
};

}  // namespace attnscope
