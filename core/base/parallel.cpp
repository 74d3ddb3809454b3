#include "core/base/parallel.hpp"

#include <algorithm>
#include <chrono>
#include <exception>

#include "core/base/error.hpp"

namespace attnscope {

namespace {
/// Shorter work is done by the caller alone: waking a sleeping thread takes about a third of this time.
constexpr double worth_waking_ns = 100'000;
/// The same limit when a helper is awake.
constexpr double worth_joining_ns = 10'000;
/// How long a helper stays awake waiting for more work: longer than the serial work between the stages of a
/// model, too short to cost noticeable power.
constexpr std::chrono::microseconds alert{150};

void breathe() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  std::this_thread::yield();
#endif
}

/// Whether the condition came true within `alert`.
template <class Condition>
bool awaited(Condition condition) {
  const auto end = std::chrono::steady_clock::now() + alert;
  do {
    for (int i = 0; i < 32; ++i) {
      if (condition()) return true;
      breathe();
    }
  } while (std::chrono::steady_clock::now() < end);
  return false;
}
}  // namespace

struct ThreadPool::Task {
  std::int64_t count;
  const std::stop_token& stop;
  Call call;
  int most_helpers;
  Task *newer = nullptr, *older = nullptr;  // in the pool's list; guarded by its mutex
  std::atomic<int> inside{0};  // helpers that work on the task; written with the pool's mutex held
  std::atomic<std::int64_t> next{0};
  std::atomic<bool> failed{false};
  std::exception_ptr failure{};  // written by the thread that sets `failed` first

  bool is_over() const {
    return failed.load(std::memory_order_relaxed) || stop.stop_requested() ||
           next.load(std::memory_order_relaxed) >= count;
  }

  /// Works until no calls are left, or until `leave`, asked between two calls, returns true.
  template <class Leave>
  void work(Leave leave) {
    while (!failed.load(std::memory_order_relaxed) && !stop.stop_requested() && !leave()) {
      const std::int64_t i = next.fetch_add(1, std::memory_order_relaxed);
      if (i >= count) return;
      try {
        call.invoke(call.self, i);
      } catch (...) {
        if (!failed.exchange(true)) failure = std::current_exception();
      }
    }
  }
  void work() {
    work([] { return false; });
  }
};

ThreadPool::ThreadPool(int threads) {
  const int wanted = threads > 0 ? threads : static_cast<int>(std::thread::hardware_concurrency());
  for (int i = 1; i < wanted; ++i)
    helpers_.emplace_back([this](const std::stop_token& quit) { sleep_and_help(quit); });
}

ThreadPool::~ThreadPool() {
  // All helpers are asked to stop before the first is joined, so that they end at the same time.
  for (std::jthread& helper : helpers_) helper.request_stop();
}

void ThreadPool::run(std::int64_t count, double nanoseconds, const std::stop_token& stop, Call call,
                     int most_threads) {
  Task task{count, stop, call, most_threads - 1};
  const double total = nanoseconds * static_cast<double>(count);
  const bool joined_at_once = awake_.load(std::memory_order_relaxed) > 0;
  if (helpers_.empty() || most_threads < 2 || count < 2 ||
      total < (joined_at_once ? worth_joining_ns : worth_waking_ns)) {
    task.work();
  } else {
    open(task);
    if (total >= worth_waking_ns) wake_.notify_all();
    task.work();
    close(task);
  }
  if (task.failure) std::rethrow_exception(task.failure);
  if (task.next.load() < count) throw Cancelled();
}

void ThreadPool::open(Task& task) {
  const std::lock_guard lock(mutex_);
  task.older = newest_;
  if (newest_ != nullptr) newest_->newer = &task;
  newest_ = &task;
  round_.fetch_add(1, std::memory_order_release);
}

/// Does not wait for sleeping helpers: once the task is off the list no helper can join, and only those
/// inside must leave.
void ThreadPool::close(Task& task) {
  {
    const std::lock_guard lock(mutex_);
    if (task.older != nullptr) task.older->newer = task.newer;
    (task.newer != nullptr ? task.newer->older : newest_) = task.older;
  }
  const auto alone = [&task] { return task.inside.load(std::memory_order_acquire) == 0; };
  if (awaited(alone)) return;
  std::unique_lock lock(mutex_);
  left_.wait(lock, alone);
}

/// The task with the fewest helpers; null if no task can use one. Of tasks with equally many helpers the
/// newest, so that a short task of the user interface does not wait for a long one.
ThreadPool::Task* ThreadPool::neediest() const {
  Task* found = nullptr;
  for (Task* task = newest_; task != nullptr; task = task->older)
    if (!task->is_over() && task->inside < task->most_helpers &&
        (found == nullptr || task->inside < found->inside))
      found = task;
  return found;
}

bool ThreadPool::comes_soon(std::uint64_t seen, const std::stop_token& quit) {
  awake_.fetch_add(1, std::memory_order_relaxed);
  const bool came =
      awaited([&] { return round_.load(std::memory_order_acquire) != seen || quit.stop_requested(); });
  awake_.fetch_sub(1, std::memory_order_relaxed);
  return came;
}

void ThreadPool::sleep_and_help(const std::stop_token& quit) {
  std::unique_lock lock(mutex_);
  while (wake_.wait(lock, quit, [this] { return neediest() != nullptr; })) {
    bool more = true;
    while (more) {
      std::uint64_t seen = round_;
      while (Task* const task = neediest()) {
        ++task->inside;
        lock.unlock();
        task->work([&] { return round_.load(std::memory_order_relaxed) != seen; });
        lock.lock();
        if (--task->inside == 0) left_.notify_all();  // the caller may destroy the task from here on
        seen = round_;
      }
      lock.unlock();
      more = comes_soon(seen, quit) && !quit.stop_requested();
      lock.lock();
    }
  }
}

}  // namespace attnscope
