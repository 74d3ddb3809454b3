// app/session: what is on screen, kept on disk while it is open, so that a program that is killed loses at
// most the last second. Every running program has a file of its own, and a lock that tells others that it
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
  /// What a session file is made of.
  struct State {
    Document document;
    std::string view;  // JSON
    std::optional<Document> held;
  };

  /// Takes a name in the directory, which is made where there is none. Where that cannot be done trouble()
  /// says why and nothing is ever written.
  explicit Autosave(const std::filesystem::path& directory);
  /// The end of a program that was not killed: its file goes.
  ~Autosave();
  Autosave(const Autosave&) = delete;
  Autosave& operator=(const Autosave&) = delete;

  /// The newest file whose program no longer lives. It becomes this one's own, so that no other takes it, and
  /// stays until the next write(). Empty when there is none.
  std::filesystem::path take_over();

  /// What was written elsewhere becomes this one's own: the file moves here, until the next write().
  void adopt(const std::filesystem::path& file);
  /// When this ends the file stays, as if the program had been killed.
  void leave() { leaves_ = true; }

  /// Returns at once; the newest State wins. Written atomically by a thread of its own.
  void write(State);
  /// Blocks until what was given is on disk, or could not be written.
  void wait();
  /// Why nothing can be written; given once for each reason, else empty.
  std::string trouble();
  /// Where it writes; empty where it cannot.
  const std::filesystem::path& file() const { return file_; }

 private:
  bool take_name(const std::filesystem::path& directory);
  void write_now(const State&);

  std::filesystem::path file_;
  Descriptor lock_;  // held while the program lives, however it ends

  bool leaves_ = false;
  std::mutex mutex_;  // guards the next two
  std::string trouble_, told_;
  Worker worker_;  // last: it writes until the rest goes
};

}  // namespace attnscope
