// app/session: a file that is being opened. It is read once, on a thread of its own; the window waits for a
// short file, and goes on with what it shows while a long one is read.
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string_view>

#include "app/session/session.hpp"
#include "core/base/worker.hpp"

namespace attnscope {

class Opening {
 public:
  /// Begins to read; `now` as for open_session(). The destructor stops the reading and waits for the thread,
  /// some milliseconds.
  Opening(std::filesystem::path path, std::string_view layer, const ViewState& now);

  /// Waits until the file is read and returns true; returns false as soon as it is known to take long: a
  /// model, a large file, or a session in a model, which is opened with it.
  bool is_soon_ready() const;

  const std::filesystem::path& path() const { return path_; }
  double share() const { return task_->progress().share(); }
  double seconds() const;
  bool is_ready() const { return task_->is_done(); }
  /// Waits for the end and returns the session. Throws Error with the text of what open_session() throws.
  Session take();

 private:
  /// is_known is set when the file is read, has failed, or takes long.
  struct Arriving : Reading {
    std::atomic<bool> is_known{false}, takes_long{false};
    void tell(bool is_long);
  };

  std::filesystem::path path_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::shared_ptr<Task<Session, Arriving>> task_;
  Worker worker_;
};

}  // namespace attnscope
