// core/files/formats: file descriptors that close themselves, and system errors as sentences.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.hpp"

namespace attnscope {

/// One open file, closed by the destructor.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();
  int number() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }
  int release();

 private:
  int number_ = -1;
};

/// "Cannot read "a.txt": No such file or directory." from the current errno.
Error system_error(std::string_view what, const std::filesystem::path& path);

/// Opens a regular file for reading; never blocks on a pipe. Throws Error saying what the path is instead,
/// also for a Git LFS pointer, whose file was not fetched.
Descriptor open_regular(const std::filesystem::path& path);
/// For tests: while it lives, it lists the files that open_regular() opens on this thread, in their order. At
/// most one on a thread.
class OpenedFiles {
 public:
  OpenedFiles();
  ~OpenedFiles();
  OpenedFiles(const OpenedFiles&) = delete;
  OpenedFiles& operator=(const OpenedFiles&) = delete;

  const std::vector<std::filesystem::path>& paths() const { return paths_; }

 private:
  std::vector<std::filesystem::path> paths_;
};

/// The current size in bytes.
std::uint64_t size_of(const Descriptor& file, const std::filesystem::path& path);
/// Reads exactly `size` bytes from `offset` on. Throws Error if the file ends before that.
void read_exactly(const Descriptor& file, const std::filesystem::path& path, std::uint64_t offset, void* to,
                  std::size_t size);
/// ".json" for "A.JSON".
std::string lower_extension(const std::filesystem::path& path);
/// Reads the whole file. Throws Error if it is longer than `limit` bytes.
std::string read_whole(const std::filesystem::path& path, std::uint64_t limit);

}  // namespace attnscope
