// app/results: the float64 errors of whole Results, computed behind the scenes: one thread, so that neither
// the window nor the engine waits for it. Jobs are done in the order they came; those that were let go are
// not done.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

#include "core/analysis/float64_error.hpp"
#include "core/engine/result.hpp"

namespace attnscope {

/// One Result's errors, shared by who waits for them and who computes them.
class ErrorJob {
 public:
  explicit ErrorJob(ResultPtr of) : result_(std::move(of)) {}

  /// What became of it; null until it is done. `refusal` says why there is nothing.
  const Trace* errors() const { return done_ && refusal_.empty() ? &errors_ : nullptr; }
  const std::string& refusal() const { return refusal_; }  // after is_done()
  bool is_done() const { return done_; }
  int stages_done() const { return stages_; }
  /// Nobody waits any more. Returns at once.
  void let_go() { stop_.request_stop(); }
  /// Computes on the calling thread.
  void run();

 private:
  ResultPtr result_;
  Trace errors_;  // these two are written before done_ is set
  std::string refusal_;
  std::atomic<int> stages_{0};
  std::atomic<bool> done_{false};
  std::stop_source stop_;
};

class BackgroundErrors {
 public:
  /// At most so much memory; more is refused.
  static constexpr std::int64_t most_bytes = std::int64_t{512} << 20;

  BackgroundErrors();
  ~BackgroundErrors();
  BackgroundErrors(const BackgroundErrors&) = delete;
  BackgroundErrors& operator=(const BackgroundErrors&) = delete;

  /// A new job; what takes a few milliseconds at most is done before this returns.
  std::shared_ptr<ErrorJob> start(const ResultPtr&);

 private:
  void work(const std::stop_token& quit);

  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::deque<std::shared_ptr<ErrorJob>> jobs_;  // guarded by mutex_, as the next
  std::shared_ptr<ErrorJob> running_;
  std::jthread worker_;  // last: joined before the rest goes
};

}  // namespace attnscope
