// app/session: keeps what is on screen on disk while it is open, so that a killed program loses at most the
// last second. Every running program has a file of its own, and a lock that tells other programs that it
// lives.
#pragma once

#include <filesystem>
#include <mutex>
#include <optional>
#include <string>

#include "core/base/worker.hpp"
#include "core/document/document.hpp"
#include "core/files/formats/posix.hpp"

namespace attnscope {

class Autosave {
 public:
  /// The contents of a session file.
  struct State {
    Document document;
    std::string view;  // JSON
    std::optional<Document> held;
  };

  /// Takes a file name in the directory, which is made if it is missing. If that fails, trouble() says why
  /// and nothing is ever written.
  explicit Autosave(const std::filesystem::path& directory);
  /// Removes the file, which only a killed program leaves behind.
  ~Autosave();
  Autosave(const Autosave&) = delete;
  Autosave& operator=(const Autosave&) = delete;

  /// The newest file whose program no longer lives; empty if there is none. It becomes this program's file,
  /// so that no other takes it, and stays until the next write().
  std::filesystem::path take_over();

  /// Moves a session file that was written elsewhere here; it stays until the next write().
  void adopt(const std::filesystem::path& file);
  /// The destructor then leaves the file, as if the program had been killed.
  void leave() { leaves_ = true; }

  /// Writes a State atomically on a thread of its own and returns at once; a newer State replaces one that
  /// waits.
  void write(State);
  /// Blocks until the last State is on disk, or could not be written.
  void wait();
  /// Why nothing can be written; each reason is returned once, else empty.
  std::string trouble();
  /// The file that it writes; empty if it cannot write.
  const std::filesystem::path& file() const { return file_; }

 private:
  bool take_name(const std::filesystem::path& directory);
  void write_now(const State&);

  std::filesystem::path file_;
  Descriptor lock_;  // held while the program lives; the system frees it at any end

  bool leaves_ = false;
  std::mutex mutex_;  // guards the next two
  std::string trouble_, told_;
  Worker worker_;  // last: its thread ends before the other members
};

}  // namespace attnscope
