#include "app/session/autosave.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/files/document/session_file.hpp"

namespace attnscope {
namespace {

namespace fs = std::filesystem;

fs::path lock_of(fs::path file) { return file.replace_extension(".lock"); }

/// Takes the lock of a file; empty while the program that holds it lives.
Descriptor locked(const fs::path& lock, int flags) {
  Descriptor file(::open(lock.c_str(), O_RDWR | O_CLOEXEC | flags, 0600));
  if (!file || ::flock(file.number(), LOCK_EX | LOCK_NB) != 0) return {};
  // Another program may have removed the name between the two calls.
  struct stat here {
  }, there{};
  const bool same = ::fstat(file.number(), &here) == 0 && ::stat(lock.c_str(), &there) == 0 &&
                    here.st_ino == there.st_ino && here.st_dev == there.st_dev;
  return same ? std::move(file) : Descriptor();
}

}  // namespace

Autosave::Autosave(const fs::path& directory) {
  std::error_code refused;
  fs::create_directories(directory, refused);
  if (refused || !take_name(directory)) {
    if (refused) errno = refused.value();
    const Error reason = system_error("write", directory);
    trouble_ = fmt::format("What is open will not survive a crash: {}", reason.what());
  }
}

Autosave::~Autosave() {
  worker_.replace(nullptr);
  worker_.wait();
  if (file_.empty() || leaves_) return;
  ::unlink(file_.c_str());
  ::unlink(lock_of(file_).c_str());
}

bool Autosave::take_name(const fs::path& directory) {
  for (int n = 0; n < 1000; ++n) {
    const fs::path file = directory / fmt::format("open-{}-{}.json", ::getpid(), n);
    // A file left by an earlier program with this process id must not be overwritten.
    if (::access(file.c_str(), F_OK) == 0) continue;
    lock_ = locked(lock_of(file), O_CREAT | O_EXCL);
    if (lock_) {
      file_ = file;
      return true;
    }
    if (::access(directory.c_str(), W_OK | X_OK) != 0) return false;
  }
  return false;
}

fs::path Autosave::take_over() {
  if (file_.empty()) return {};
  std::vector<std::pair<fs::file_time_type, fs::path>> left;
  std::error_code none;
  for (fs::directory_iterator entry(file_.parent_path(), none), end; !none && entry != end;
       entry.increment(none)) {
    const fs::path& path = entry->path();
    std::error_code gone;
    const fs::file_time_type time = fs::last_write_time(path, gone);
    if (gone || !path.filename().native().starts_with("open-")) continue;
    if (path.extension() == ".json") left.emplace_back(time, path);
    // A lock without a file was left by a program that was killed before its first write.
    fs::path of = path;
    if (path.extension() == ".lock" && !fs::exists(of.replace_extension(".json"), gone) && locked(path, 0))
      ::unlink(path.c_str());
  }
  std::sort(left.rbegin(), left.rend());
  for (const auto& [time, path] : left) {
    const fs::path lock = lock_of(path);
    const Descriptor dead = locked(lock, O_CREAT);
    if (!dead) continue;
    if (::rename(path.c_str(), file_.c_str()) != 0) continue;
    ::unlink(lock.c_str());
    return file_;
  }
  return {};
}

void Autosave::adopt(const fs::path& file) {
  wait();
  // If nothing can be written here, the file stays where it is.
  if (!file_.empty()) static_cast<void>(::rename(file.c_str(), file_.c_str()));
}

void Autosave::write(State state) {
  if (file_.empty()) return;
  worker_.replace(make_errand([this, state = std::move(state)] { write_now(state); }), 0, Worker::never);
}

void Autosave::wait() { worker_.wait(); }

std::string Autosave::trouble() {
  const std::lock_guard guard(mutex_);
  if (trouble_ == told_) return {};
  told_ = trouble_;
  return told_;
}

void Autosave::write_now(const State& state) {
  try {
    write_document(session_to_json(state.document, state.view, state.held ? &*state.held : nullptr), file_);
  } catch (const std::exception& error) {
    const std::lock_guard guard(mutex_);
    trouble_ = fmt::format("What is open will not survive a crash: {}", error.what());
  }
}

}  // namespace attnscope
