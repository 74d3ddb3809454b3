// core/base: the one idiom for work that the window does not wait for: a Worker is a thread that does Jobs,
// lane by lane; a Task is a Job that makes one value. The live engine, tiles, files that are opened or
// written, float64 errors and comparisons of backends are made of these.
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

/// Something a Worker does, shared by those who wait for it. cancel() and the token may be used from any
/// thread.
class Job {
 public:
  Job() = default;
  virtual ~Job() = default;
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  /// Asks it to stop; returns at once. A Job that still waits is begun all the same and finds its token
  /// fired, so that it can say what became of it.
  void cancel() { stop_.request_stop(); }
  std::stop_token stop_token() const { return stop_.get_token(); }

  /// One step of the work, on the worker's thread. True: there is more to do; Jobs that wait in earlier lanes
  /// come before the next step, and there is none once the Job was replaced. Throws nothing.
  virtual bool step() = 0;
  /// Called on the worker's thread when the worker no longer counts the Job as running. Not called when the
  /// worker goes away.
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
  /// How long a running Job may be when another takes its place: it is stopped at that age.
  static constexpr std::chrono::milliseconds at_once{0}, never = std::chrono::milliseconds::max();

  Worker() = default;
  /// Stops what runs and waits for it; what waits is not done.
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// Behind those that wait in the lane. Lane 0 comes first. The thread starts with the first Job.
  void add(JobPtr, int lane = 0);
  /// In place of all that wait in the lane; one of the lane that is being done is stopped once it is older
  /// than `patience`. Null: nothing takes their place.
  void replace(JobPtr, int lane = 0, std::chrono::milliseconds patience = at_once);
  /// The same with several, the first first.
  void replace_all(std::deque<JobPtr>, int lane = 0, std::chrono::milliseconds patience = at_once);

  /// Asks all Jobs of the lane to stop, those that wait as well.
  void cancel(int lane = 0);

  /// Whether a Job of the lane runs or waits.
  bool is_busy(int lane = 0) const;
  /// How long ago the Job that runs was begun; 0 when none runs.
  std::chrono::duration<double> running_for() const;
  /// Blocks until no Job of the lane runs or waits.
  void wait(int lane = 0) const;

 private:
  struct Running {
    JobPtr job;
    int lane = 0;
    bool is_replaced = false;                   // another is to take its place,
    std::optional<Clock::time_point> deadline;  // and then it is stopped
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
  // Last: joined before the rest goes.
  std::jthread thread_;
  std::jthread watchdog_;  // stops what becomes too old while another waits; only where patience is asked for
};

/// A Job of a function that does one step and says whether there is more. `told` is called when the Job is
/// finished, also one that was stopped; with Tells::EachStep after every step as well.
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

/// A Job that makes one T. Progress: what the function writes while it runs and others read.
struct NoProgress {};
template <class T, class Progress = NoProgress>
class Task final : public Job {
 public:
  using Function = std::function<T(const std::stop_token&, Progress&)>;
  explicit Task(Function make) : make_(std::move(make)) {}

  /// Whether it has come to its end, good or bad.
  bool is_done() const { return done_; }
  /// What it made; null before the end and when there is an error.
  const T* result() const { return done_ && result_ ? &*result_ : nullptr; }
  /// The same by value, once; result() must be there.
  T take() { return *std::exchange(result_, std::nullopt); }
  /// Why there is nothing, once it is done: a sentence for a person, or "Stopped.".
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
    make_ = nullptr;  // what it holds on to is not needed any more
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

/// A Task that makes nothing but comes to an end, good or bad.
using Errand = Task<std::monostate>;
std::shared_ptr<Errand> make_errand(std::function<void()>);

}  // namespace attnscope
