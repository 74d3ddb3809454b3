#include "core/base/parallel.hpp"

#include <algorithm>
#include <chrono>
#include <exception>

#include "core/base/error.hpp"

namespace attnscope {

namespace {
/// Less than this is done by the caller: a sleeping thread needs about a third of it to wake.
constexpr double worth_waking_ns = 100'000;
/// The same when a thread is awake.
constexpr double worth_joining_ns = 10'000;
/// So long a thread looks out for more work: longer than what one thread does between the stages of a model,
/// shorter than anybody or any battery notices.
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
  std::atomic<std::int64_t> next{0};
  std::atomic<bool> failed{false};
  std::exception_ptr failure{};  // written by the thread that sets `failed` first

  void work() {
    while (!failed.load(std::memory_order_relaxed) && !stop.stop_requested()) {
      const std::int64_t i = next.fetch_add(1, std::memory_order_relaxed);
      if (i >= count) return;
      try {
        call.invoke(call.self, i);
      } catch (...) {
        if (!failed.exchange(true)) failure = std::current_exception();
      }
    }
  }
};

ThreadPool::ThreadPool(int threads) {
  const int wanted = threads > 0 ? threads : static_cast<int>(std::thread::hardware_concurrency());
  for (int i = 1; i < wanted; ++i)
    sleepers_.emplace_back([this](const std::stop_token& quit) { sleep_and_help(quit); });
}

ThreadPool::~ThreadPool() {
  // All are told before the first is joined, so that they leave together.
  for (std::jthread& sleeper : sleepers_) sleeper.request_stop();
}

void ThreadPool::run(std::int64_t count, double nanoseconds, const std::stop_token& stop, Call call) {
  Task task{count, stop, call};
  const double total = nanoseconds * static_cast<double>(count);
  const bool joined_at_once = awake_.load(std::memory_order_relaxed) > 0;
  if (sleepers_.empty() || count < 2 || total < (joined_at_once ? worth_joining_ns : worth_waking_ns)) {
    task.work();
  } else {
    {
      const std::lock_guard lock(mutex_);
      task_ = &task;
      round_.fetch_add(1, std::memory_order_release);
    }
    if (total >= worth_waking_ns) wake_.notify_all();
    task.work();
    // Helpers still asleep are not waited for: nobody may join any more, and only those inside must leave.
    {
      const std::lock_guard lock(mutex_);
      task_ = nullptr;
    }
    const auto alone = [this] { return inside_.load(std::memory_order_acquire) == 0; };
    if (!awaited(alone)) {
      std::unique_lock lock(mutex_);
      left_.wait(lock, alone);
    }
  }
  if (task.failure) std::rethrow_exception(task.failure);
  if (task.next.load() < count) throw Cancelled();
}

bool ThreadPool::comes_soon(std::uint64_t seen, const std::stop_token& quit) {
  awake_.fetch_add(1, std::memory_order_relaxed);
  const bool came =
      awaited([&] { return round_.load(std::memory_order_acquire) != seen || quit.stop_requested(); });
  awake_.fetch_sub(1, std::memory_order_relaxed);
  return came;
}

void ThreadPool::sleep_and_help(const std::stop_token& quit) {
  std::uint64_t seen = 0;
  std::unique_lock lock(mutex_);
  while (wake_.wait(lock, quit, [&] { return task_ != nullptr && round_ != seen; })) {
    bool more = true;
    while (more) {
      seen = round_;
      if (task_ != nullptr) {  // or else it was over before anybody could join
        Task& task = *task_;
        ++inside_;
        lock.unlock();
        task.work();
        lock.lock();
        if (--inside_ == 0) left_.notify_one();
      }
      lock.unlock();
      more = comes_soon(seen, quit) && !quit.stop_requested();
      lock.lock();
    }
  }
}

}  // namespace attnscope
