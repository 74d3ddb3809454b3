// core/base: background work: a Worker is a thread that runs Jobs, lane by lane; a Task is a Job that makes
// one value. The live engine, tiles, opening and writing files, float64 errors and comparisons of backends
// use these.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <variant>

#include "core/base/error.hpp"

namespace attnscope {

/// A unit of work for a Worker, shared with the code that waits for it. cancel() and the token may be used
/// from any thread.
class Job {
 public:
  Job() = default;
  virtual ~Job() = default;
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  /// Asks the Job to stop; returns at once. A waiting Job is still run, with its token fired, so that it can
  /// report that it was stopped.
  void cancel() { stop_.request_stop(); }
  std::stop_token stop_token() const { return stop_.get_token(); }

  /// One step of the work, on the worker's thread. Returns true if there is more to do: the next step follows
  /// after the Jobs waiting in earlier lanes, unless the Job was replaced. Must not throw.
  virtual bool step() = 0;
  /// Called on the worker's thread after the Job's last step, when the Job no longer counts as running. Not
  /// called when the worker is destroyed.
  virtual void finished() {}

 private:
  friend class Worker;
  std::stop_source stop_;
  std::optional<std::chrono::steady_clock::time_point> begun_;  // guarded by the worker's mutex
};
using JobPtr = std::shared_ptr<Job>;

class Worker {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr int most_lanes = 4;
  /// Values of `patience`: the age at which a running Job is stopped when it is replaced.
  static constexpr std::chrono::milliseconds at_once{0}, never = std::chrono::milliseconds::max();

  Worker() = default;
  /// Stops the running Job and waits for it; waiting Jobs are dropped.
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// Appends a Job to the lane. Lane 0 comes first. The thread starts with the first Job.
  void add(JobPtr, int lane = 0);
  /// Replaces all Jobs that wait in the lane; a running Job of the lane is stopped once it is older than
  /// `patience`. Null: only drops them.
  void replace(JobPtr, int lane = 0, std::chrono::milliseconds patience = at_once);
  /// The same with several Jobs, to be run in this order.
  void replace_all(std::deque<JobPtr>, int lane = 0, std::chrono::milliseconds patience = at_once);

  /// Asks all running and waiting Jobs of the lane to stop.
  void cancel(int lane = 0);

  /// Whether a Job of the lane runs or waits.
  bool is_busy(int lane = 0) const;
  /// The time since the running Job began; 0 when none runs.
  std::chrono::duration<double> running_for() const;
  /// Blocks until no Job of the lane runs or waits.
  void wait(int lane = 0) const;

 private:
  struct Running {
    JobPtr job;
    int lane = 0;
    bool is_replaced = false;                   // another Job replaces it,
    std::optional<Clock::time_point> deadline;  // and it is stopped then
  };
  void start();  // with mutex_ held
  void work(const std::stop_token& quit);
  void watch(const std::stop_token& quit);
  bool is_busy_now(int lane) const;  // with mutex_ held
  std::optional<int> next_lane() const;

  mutable std::mutex mutex_;  // guards all below
  mutable std::condition_variable_any changed_;
  std::array<std::deque<JobPtr>, most_lanes> waiting_;
  std::optional<Running> running_;
  // Last members: joined before the others are destroyed.
  std::jthread thread_;
  std::jthread watchdog_;  // stops a replaced Job that is too old; started by the first finite patience
};

/// A Job whose function does one step and returns whether there is more. `told` is called when the Job has
/// finished or was stopped; with Tells::EachStep after every step, too.
class Stepwise final : public Job {
 public:
  enum class Tells : std::uint8_t { AtTheEnd, EachStep };
  using Function = std::function<bool(const std::stop_token&)>;
  Stepwise(Function next, std::function<void()> told, Tells tells = Tells::AtTheEnd)
      : next_(std::move(next)), told_(std::move(told)), tells_(tells) {}

  bool step() override {
    const bool more = !stop_token().stop_requested() && next_(stop_token());
    if (more && tells_ == Tells::EachStep && told_) told_();
    return more;
  }
  void finished() override {
    if (told_) told_();
  }

 private:
  Function next_;
  std::function<void()> told_;
  Tells tells_;
};

/// A Job that makes one T. Progress: data that the function writes while it runs and other threads read.
struct NoProgress {};
template <class T, class Progress = NoProgress>
class Task final : public Job {
 public:
  using Function = std::function<T(const std::stop_token&, Progress&)>;
  explicit Task(Function make) : make_(std::move(make)) {}

  /// Whether it has ended, with a result or an error.
  bool is_done() const { return done_; }
  /// The result; null before the end and after an error.
  const T* result() const { return done_ && result_ ? &*result_ : nullptr; }
  /// Moves the result out, once; result() must not be null.
  T take() { return *std::exchange(result_, std::nullopt); }
  /// The reason why there is no result, once it is done: a sentence for the user, or "Stopped.".
  const std::string& error() const { return error_; }
  const Progress& progress() const { return progress_; }

  bool step() override {
    try {
      if (stop_token().stop_requested()) throw Cancelled();
      result_.emplace(make_(stop_token(), progress_));
    } catch (const Cancelled&) {
      error_ = "Stopped.";
    } catch (const std::exception& error) {
      error_ = error.what();
    }
    make_ = nullptr;  // releases what the function captured
    done_ = true;
    return false;
  }

 private:
  Function make_;
  Progress progress_;
  std::optional<T> result_;  // these two are written before done_ is set
  std::string error_;
  std::atomic<bool> done_{false};
};

/// A Task without a result, which succeeds or fails.
using Errand = Task<std::monostate>;
std::shared_ptr<Errand> make_errand(std::function<void()>);

}  // namespace attnscope
