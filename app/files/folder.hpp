// app/files: reads a folder in the background: the window does not wait for large folders and slow disks.
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
  std::string name;  // the system's bytes
  bool is_folder = false;
  std::uint64_t bytes = 0;
  std::int64_t changed = 0;  // seconds since 1970; 0 = not known
};

enum class FolderOrder : std::uint8_t { Name, Size, Changed };

struct Folder {
  std::filesystem::path path;
  std::vector<FolderEntry> entries;  // folders first, in the order of their names
  std::string trouble;               // why the folder cannot be read, in one sentence; else empty
};

/// Folders first, then by `order`; names in natural order: a before B, 2 before 10.
void sort_entries(std::vector<FolderEntry>&, FolderOrder, bool backwards);
/// Whether name a comes before name b in natural order.
bool comes_before(const std::string& a, const std::string& b);

/// A folder that is being read. Copies share the reading; when the last copy is destroyed, the reading stops
/// at the next name. Destruction does not wait for a disk that does not answer.
class FolderReading {
 public:
  FolderReading() = default;  // nothing is read

  bool is_reading() const;
  /// Waits for the end, at most `longest`. True if the reading has ended.
  bool wait(std::chrono::milliseconds longest) const;
  double seconds() const;
  /// Entries seen so far.
  std::int64_t count() const;
  /// What was read; call it only after the end.
  const Folder& folder() const;

 private:
  friend class FolderReader;
  class Work;
  explicit FolderReading(std::shared_ptr<Work> work) : work_(std::move(work)) {}
  std::shared_ptr<Work> work_;
};

/// Owns the threads that read folders: one for each folder that is being read, so that a disk that does not
/// answer delays no other folder. The destructor stops the threads and waits for them.
class FolderReader {
 public:
  FolderReading read(std::filesystem::path folder);

 private:
  std::list<Worker> workers_;
};

}  // namespace attnscope
