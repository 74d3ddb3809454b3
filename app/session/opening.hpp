// app/session: a large file on its way. It is read behind the window, which goes on with what it shows.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string_view>

#include "app/session/session.hpp"
#include "core/base/worker.hpp"

namespace attnscope {

class Opening {
 public:
  /// Begins to read; `now` as for open_session(). When it goes it stops and waits until the thread has
  /// noticed: some milliseconds.
  Opening(std::filesystem::path path, std::string_view layer, const ViewState& now);

  /// Whether reading it would keep the window waiting.
  static bool is_large(const std::filesystem::path&);

  const std::filesystem::path& path() const { return path_; }
  double share() const { return task_->progress().share(); }
  double seconds() const;
  bool is_ready() const { return task_->is_done(); }
  /// Waits for the end. Throws Error with the text of what open_session() throws.
  Session take();

 private:
  std::filesystem::path path_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::shared_ptr<Task<Session, Reading>> task_;
  Worker worker_;
};

}  // namespace attnscope
