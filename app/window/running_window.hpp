// app/window: requests to a window that is already open. `attnscope open --same-window` and Python's show()
// ask it to open another file, through a socket that only its owner can reach. Does not use GLFW.
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
  std::filesystem::path file;  // an absolute path
  std::string layer;           // of a dump; empty = the first
};

/// The socket of this user's window on this display, in $XDG_RUNTIME_DIR or else in a folder of the temporary
/// directory that no other user can write to; that folder is made. Throws Error if it belongs to another
/// user.
std::filesystem::path window_socket();

/// Sends a request to the window that listens at the socket; false if none listens, if it belongs to another
/// user, or if it does not answer within two seconds. Throws nothing except when memory runs out.
bool ask_running_window(const std::filesystem::path& socket, const OpenRequest&);

/// The socket at which a window listens. One program at a time has it; the socket of a killed program is
/// taken over.
class WindowDoor {
 public:
  explicit WindowDoor(const std::filesystem::path& socket);
  /// Removes the socket.
  ~WindowDoor();
  WindowDoor(const WindowDoor&) = delete;
  WindowDoor& operator=(const WindowDoor&) = delete;

  /// False: another program listens there, or the socket cannot be made; then no request ever comes.
  bool is_open() const { return static_cast<bool>(socket_); }
  /// `fn` is called on another thread after each request, and never again once this has replaced it.
  void when_asked(std::function<void()> fn);
  /// The oldest request that was not taken yet.
  std::optional<OpenRequest> take();

 private:
  void listen(const std::stop_token& stop);
  void hear(const Descriptor& caller);

  std::filesystem::path path_;
  Descriptor lock_, socket_, bell_;  // the bell wakes the thread to end it
  std::mutex mutex_;                 // guards asked_ and tell_
  std::deque<OpenRequest> asked_;
  std::function<void()> tell_;
  Worker worker_;  // last: it uses the rest
};

}  // namespace attnscope
