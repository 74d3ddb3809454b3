// app/session: a large file on its way. It is read behind the window, which goes on with what it shows.
#pragma once

#include <chrono>
#include <filesystem>
#include <future>
#include <string>
#include <string_view>

#include "app/session/session.hpp"

namespace attnscope {

class Opening {
 public:
  /// Begins to read; `now` as for open_session().
  Opening(std::filesystem::path path, std::string_view layer, const ViewState& now);
  /// Stops and waits until the thread has noticed: some milliseconds.
  ~Opening();
  Opening(const Opening&) = delete;
  Opening& operator=(const Opening&) = delete;

  /// Whether reading it would keep the window waiting.
  static bool is_large(const std::filesystem::path&);

  const std::filesystem::path& path() const { return path_; }
  double share() const { return reading_.share(); }
  double seconds() const;
  bool is_ready() const;
  /// Waits for the end. Throws what open_session() throws.
  Session take() { return session_.get(); }

 private:
  std::filesystem::path path_;
  std::stop_source stop_;
  Reading reading_{stop_.get_token()};
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::future<Session> session_;  // last: nobody reads any more when the rest goes
};

}  // namespace attnscope
