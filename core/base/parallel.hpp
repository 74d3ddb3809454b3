// core/base: a few helper threads that sleep until a stage has work for them, and stay awake for a fraction
// of a millisecond behind it, because the next stage follows at once. One pool serves all parts of a program.
// The work is cut the same way whatever the number of threads, so no number ever depends on it; small work
// runs at once on the caller.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <type_traits>
#include <vector>

namespace attnscope {

class ThreadPool {
 public:
  static constexpr int all_threads = std::numeric_limits<int>::max();

  /// The caller counts as one of the threads; 0 takes what the machine has.
  explicit ThreadPool(int threads = 0);
  /// No call may be under way.
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return static_cast<int>(helpers_.size()) + 1; }

  /// Calls fn(i) once for each i in [0, count), in any order and on any of the threads, and returns when all
  /// are done. `nanoseconds` is a rough guess at one call: when all of them together take less than waking a
  /// thread pays for, the caller does them alone. Once `stop` fires no further call starts and Cancelled is
  /// thrown; an exception of fn is thrown again here. Several threads may call this at a time, and fn may
  /// call it again: the helpers are shared among the calls under way, and each caller works on its own call,
  /// so that no call waits for another. At most threads() threads work on one call, and at most
  /// `most_threads`, the caller included.
  template <class Fn>
  void parallel_for(std::int64_t count, double nanoseconds, const std::stop_token& stop, Fn&& fn,
                    int most_threads = all_threads) {
    using Callable = std::remove_reference_t<Fn>;
    run(count, nanoseconds, stop,
        {const_cast<std::remove_const_t<Callable>*>(std::addressof(fn)),
         [](void* self, std::int64_t i) { (*static_cast<Callable*>(self))(i); }},
        most_threads);
  }

 private:
  /// A callable without owning it: no allocation per stage.
  struct Call {
    void* self;
    void (*invoke)(void*, std::int64_t);
  };
  struct Task;  // one parallel_for, on the caller's stack
  void run(std::int64_t count, double nanoseconds, const std::stop_token& stop, Call call, int most_threads);
  void open(Task&);
  void close(Task&);
  Task* neediest() const;  // with mutex_ held
  void sleep_and_help(const std::stop_token& quit);
  bool comes_soon(std::uint64_t seen, const std::stop_token& quit);

  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::condition_variable left_;
  Task* newest_ = nullptr;  // heads the list of what helpers may join; guarded by mutex_
  // Written under mutex_, read without it by helpers that work or wait awake.
  std::atomic<std::uint64_t> round_{0};  // counts tasks: helpers look for the neediest again when one is new
  std::atomic<int> awake_{0};            // helpers that look out for the next task
  std::vector<std::jthread> helpers_;    // last: joined before the rest goes
};

/// A ThreadPool that several owners share: copies are of the same pool. A number makes a new pool of so many
/// threads, see ThreadPool. A program makes one and hands it down.
class SharedPool {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): a number is a pool of so many threads
  SharedPool(int threads = 0) : pool_(std::make_shared<ThreadPool>(threads)) {}
  ThreadPool& operator*() const { return *pool_; }
  ThreadPool* operator->() const { return pool_.get(); }

 private:
  std::shared_ptr<ThreadPool> pool_;
};

class RowOperators;  // core/blocks/row_operators.hpp

/// What a stage needs besides numbers: the threads it may use, when to stop, and what else computes.
struct Work {
  ThreadPool& pool;
  std::stop_token stop;
  RowOperators* device = nullptr;  // for models; null: the CPU computes everything
  /// Of the pool's, the caller included; 1: the caller alone, for what must leave the helpers to others.
  int most_threads = ThreadPool::all_threads;

  int threads() const { return std::min(pool.threads(), most_threads); }
  template <class Fn>
  void for_each(std::int64_t count, double nanoseconds, Fn&& fn) const {
    pool.parallel_for(count, nanoseconds, stop, fn, most_threads);
  }
};

}  // namespace attnscope
