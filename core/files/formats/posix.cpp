#include "core/files/formats/posix.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "core/text/utf8.hpp"

namespace attnscope {

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this != &other) {
    if (number_ >= 0) ::close(number_);
    number_ = other.release();
  }
  return *this;
}

Descriptor::~Descriptor() {
  if (number_ >= 0) ::close(number_);
}

int Descriptor::release() { return std::exchange(number_, -1); }

Error system_error(std::string_view what, const std::filesystem::path& path) {
  const int code = errno;
  return Error(fmt::format("Cannot {} {}: {}.", what, in_quotes(path.native()),
                           std::generic_category().message(code)));
}

namespace {

thread_local std::vector<std::filesystem::path>* opened_files = nullptr;  // of OpenedFiles

/// A clone without Git LFS has a pointer file of three lines in place of each large file.
void refuse_lfs_pointer(const Descriptor& file, std::uint64_t size, const std::filesystem::path& path) {
  constexpr std::string_view begin = "version https://git-lfs.github.com/spec/";
  constexpr std::uint64_t longest = 1024;  // the limit of Git LFS
  if (size < begin.size() || size > longest) return;
  std::string first(begin.size(), '\0');
  read_exactly(file, path, 0, first.data(), first.size());
  if (first != begin) return;
  throw Error(
      fmt::format("{} is a Git LFS pointer of {} bytes, not the file itself: \"git lfs pull\" fetches it.",
                  in_quotes(path.native()), size));
}

}  // namespace

Descriptor open_regular(const std::filesystem::path& path) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file) throw system_error("read", path);
  struct stat status {};
  if (::fstat(file.number(), &status) != 0) throw system_error("read", path);
  if (S_ISDIR(status.st_mode)) {
    throw Error(fmt::format("Cannot read {}: it is a directory, expected a file.", in_quotes(path.native())));
  }
  if (!S_ISREG(status.st_mode)) {
    throw Error(fmt::format("Cannot read {}: it is a device or a pipe, expected a regular file.",
                            in_quotes(path.native())));
  }
  refuse_lfs_pointer(file, static_cast<std::uint64_t>(status.st_size), path);
  if (opened_files != nullptr) opened_files->push_back(path);
  return file;
}

OpenedFiles::OpenedFiles() { opened_files = &paths_; }
OpenedFiles::~OpenedFiles() { opened_files = nullptr; }

std::uint64_t size_of(const Descriptor& file, const std::filesystem::path& path) {
  struct stat status {};
  if (::fstat(file.number(), &status) != 0) throw system_error("read", path);
  return static_cast<std::uint64_t>(status.st_size);
}

void read_exactly(const Descriptor& file, const std::filesystem::path& path, std::uint64_t offset, void* to,
                  std::size_t size) {
  auto* bytes = static_cast<char*>(to);
  for (std::size_t done = 0; done < size;) {
    const ssize_t got = ::pread(file.number(), bytes + done, size - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw system_error("read", path);
    if (got == 0) {
      throw Error(
          fmt::format("Cannot read {}: it became shorter while it was read.", in_quotes(path.native())));
    }
    done += static_cast<std::size_t>(got);
  }
}

std::string lower_extension(const std::filesystem::path& path) {
  std::string extension = path.extension().native();
  for (char& c : extension) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return extension;
}

std::string read_whole(const std::filesystem::path& path, std::uint64_t limit) {
  const Descriptor file = open_regular(path);
  const std::uint64_t length = size_of(file, path);
  if (length > limit) {
    throw Error(fmt::format("{} is too long: {} bytes, expected at most {}.", in_quotes(path.native()),
                            length, limit));
  }
  std::string bytes(static_cast<std::size_t>(length), '\0');
  read_exactly(file, path, 0, bytes.data(), bytes.size());
  return bytes;
}

}  // namespace attnscope
