// app/window: the window that is open already. `attnscope open --same-window` and Python's show() ask it to
// open one more file, through a socket that only its owner can reach. Knows nothing of GLFW.
#pragma once

#include <deque>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "core/base/worker.hpp"
#include "core/files/formats/posix.hpp"

namespace attnscope {

struct OpenRequest {
  std::filesystem::path file;  // begins at the root
  std::string layer;           // of a dump; empty = the first
};

/// The socket of this person's window on this display, in $XDG_RUNTIME_DIR or else in a folder of the
/// temporary directory that no other user can write to; that folder is made. Throws Error where it belongs to
/// another user.
std::filesystem::path window_socket();

/// Asks the window that listens there; false when none does, or when it belongs to another user or does not
/// answer within two seconds. Throws nothing but what memory does.
bool ask_running_window(const std::filesystem::path& socket, const OpenRequest&);

/// What a window listens at. One program at a time has a socket; one that a killed program left is taken
/// over.
class WindowDoor {
 public:
  explicit WindowDoor(const std::filesystem::path& socket);
  /// Takes the socket away.
  ~WindowDoor();
  WindowDoor(const WindowDoor&) = delete;
  WindowDoor& operator=(const WindowDoor&) = delete;

  /// False: another program listens there, or it cannot be made; then nothing ever comes.
  bool is_open() const { return static_cast<bool>(socket_); }
  /// `fn` is called from another thread whenever something came, never again once it was replaced.
  void when_asked(std::function<void()> fn);
  /// What came first and was not taken yet.
  std::optional<OpenRequest> take();

 private:
  void listen(const std::stop_token& stop);
  void hear(const Descriptor& caller);

  std::filesystem::path path_;
  Descriptor lock_, socket_, bell_;  // the bell ends the wait
  std::mutex mutex_;                 // guards these two
  std::deque<OpenRequest> asked_;
  std::function<void()> tell_;
  Worker worker_;  // last: it uses the rest
};

}  // namespace attnscope
