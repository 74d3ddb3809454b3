// core/base: a few helper threads that sleep until a stage has work, and stay awake for a fraction of a
// millisecond after it, because the next stage usually follows at once. One pool serves all parts of a
// program. The work is cut the same way for any number of threads, so results do not depend on it; small work
// runs on the caller.
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

  /// The caller counts as one of the threads; 0 = as many as the machine has.
  explicit ThreadPool(int threads = 0);
  /// No call may be running.
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return static_cast<int>(helpers_.size()) + 1; }

  /// Calls fn(i) once for each i in [0, count), in any order and on any of the threads, and returns when all
  /// are done. `nanoseconds` is a rough estimate of one call: if the total is too short to be worth waking a
  /// thread, the caller does all calls alone. Once `stop` fires no further call starts and Cancelled is
  /// thrown; an exception of fn is rethrown here. Several threads may call this at a time, and fn may call
  /// it, too: the helpers are shared among the running calls, and each caller works on its own call, so that
  /// no call waits for another. At most threads() threads work on one call, and at most `most_threads`, the
  /// caller included.
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
  /// A non-owning reference to a callable: no allocation per stage.
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
  Task* newest_ = nullptr;  // head of the list of tasks that helpers may join; guarded by mutex_
  // Written under mutex_, read without it by helpers that are working or awake.
  std::atomic<std::uint64_t> round_{0};  // counts tasks; when it changes, helpers choose again
  std::atomic<int> awake_{0};            // helpers waiting awake for the next task
  std::vector<std::jthread> helpers_;    // last member: joined before the others are destroyed
};

/// A ThreadPool with shared ownership: copies refer to the same pool. A number makes a new pool with that
/// many threads, see ThreadPool. A program makes one and passes it on.
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

/// The resources of a stage: the threads it may use, the stop token, and the device.
struct Work {
  ThreadPool& pool;
  std::stop_token stop;
  RowOperators* device = nullptr;  // for models; null = the CPU computes everything
  /// The most threads of the pool to use, the caller included; 1 = the caller alone, for work that must leave
  /// the helpers to others.
  int most_threads = ThreadPool::all_threads;

  int threads() const { return std::min(pool.threads(), most_threads); }
  template <class Fn>
  void for_each(std::int64_t count, double nanoseconds, Fn&& fn) const {
    pool.parallel_for(count, nanoseconds, stop, fn, most_threads);
  }
};

}  // namespace attnscope
