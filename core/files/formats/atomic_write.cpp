#include "core/files/formats/atomic_write.hpp"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/files/formats/posix.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

/// The target of a dangling link, so that the file is created where the link points. Throws Error if the
/// links go in a circle.
std::filesystem::path end_of_links(std::filesystem::path path) {
  constexpr int most_links = 40;  // the system's limit
  const std::filesystem::path first = path;
  std::error_code failed;
  for (int i = 0; i < most_links; ++i) {
    const std::filesystem::path next = std::filesystem::read_symlink(path, failed);
    if (failed) return path;
    path = path.parent_path() / next;
  }
  throw Error(fmt::format("Cannot write {}: its links go in a circle.", in_quotes(first.native())));
}

/// The file to replace: for a link its target, so that the link stays. Throws Error for a directory, and for
/// a device or pipe, so that writing to /dev/null never removes a device.
std::filesystem::path target_of(const std::filesystem::path& path) {
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(path, ignored);
  if (std::filesystem::is_directory(status)) {
    throw Error(
        fmt::format("Cannot write {}: it is a directory, expected a file name.", in_quotes(path.native())));
  }
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    throw Error(fmt::format("Cannot write {}: it is a device or a pipe, expected a regular file.",
                            in_quotes(path.native())));
  }
  if (!std::filesystem::exists(status)) return end_of_links(path);
  const std::filesystem::path real = std::filesystem::canonical(path, ignored);
  return ignored ? path : real;
}

/// The temporary file, removed unless it is kept.
class Temporary {
 public:
  /// The name does not contain the target's, which may already have the maximum length.
  explicit Temporary(const std::filesystem::path& target) : target_(target) {
    for (int attempt = 0; attempt < 1000; ++attempt) {
      path_ = target.parent_path() / fmt::format(".attnscope-{}-{}.tmp", ::getpid(), attempt);
      file_ = Descriptor(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
      if (file_ || errno != EEXIST) break;
    }
    if (!file_) throw system_error("write", target_);
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  ~Temporary() {
    if (!kept_) ::unlink(path_.c_str());
  }

  void write(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t wrote = ::write(file_.number(), bytes.data(), bytes.size());
      if (wrote < 0 && errno == EINTR) continue;
      if (wrote < 0) throw system_error("write", target_);
      bytes.remove_prefix(static_cast<std::size_t>(wrote));
    }
  }

  void keep() {
    if (::fsync(file_.number()) != 0) throw system_error("write", target_);
    if (::close(file_.release()) != 0) throw system_error("write", target_);
    if (::rename(path_.c_str(), target_.c_str()) != 0) throw system_error("write", target_);
    kept_ = true;
  }

 private:
  std::filesystem::path target_;
  std::filesystem::path path_;
  Descriptor file_;
  bool kept_ = false;
};

/// Makes the new name survive a power cut. The file is complete either way, so a failure is ignored.
void sync_directory(const std::filesystem::path& target) {
  const std::filesystem::path parent = target.has_parent_path() ? target.parent_path() : ".";
  const Descriptor directory(::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory) static_cast<void>(::fsync(directory.number()));
}

}  // namespace

void write_atomically(const std::filesystem::path& path, std::span<const std::string_view> pieces) {
  const std::filesystem::path target = target_of(path);
  Temporary temporary(target);
  for (const std::string_view piece : pieces) temporary.write(piece);
  temporary.keep();
  sync_directory(target);
}

}  // namespace attnscope
