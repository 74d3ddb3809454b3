// app/results: two backends compared behind the window: one thread, and of several comparisons only the last
// matters.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

#include "core/engine/parity.hpp"

namespace attnscope {

/// One Result beside another backend, shared by who waits for it and who computes it.
class ParityJob {
 public:
  /// At most so much memory; more is refused.
  static constexpr std::int64_t most_bytes = std::int64_t{1} << 30;

  ParityJob(ResultPtr of, std::shared_ptr<Backend> with) : result_(std::move(of)), with_(std::move(with)) {}

  const ResultPtr& of() const { return result_; }
  /// What became of it; null until it is done. `refusal` says why there is nothing.
  const Parity* parity() const { return done_ && refusal_.empty() ? &parity_ : nullptr; }
  const std::string& refusal() const { return refusal_; }  // after is_done()
  bool is_done() const { return done_; }
  double share() const { return progress_.share(); }
  /// Nobody waits any more. Returns at once.
  void let_go() { stop_.request_stop(); }
  /// Computes on the calling thread.
  void run();

 private:
  ResultPtr result_;
  std::shared_ptr<Backend> with_;
  ParityProgress progress_;
  Parity parity_;  // these two are written before done_ is set
  std::string refusal_;
  std::atomic<bool> done_{false};
  std::stop_source stop_;
};

class BackgroundParity {
 public:
  BackgroundParity();
  ~BackgroundParity();
  BackgroundParity(const BackgroundParity&) = delete;
  BackgroundParity& operator=(const BackgroundParity&) = delete;

  /// Lets the job before go and does this one.
  void start(std::shared_ptr<ParityJob> job);

 private:
  void work(const std::stop_token& quit);

  std::mutex mutex_;  // guards the next two
  std::shared_ptr<ParityJob> waiting_, running_;
  std::condition_variable_any wake_;
  std::jthread worker_;  // last: joined before the rest goes
};

}  // namespace attnscope
