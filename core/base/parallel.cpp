#include "core/base/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>

#include "core/base/error.hpp"

namespace attnscope {

namespace {
/// Less than this is done by the caller: a sleeping thread needs about a third of it to wake.
constexpr double worth_waking_ns = 100'000;
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
  if (sleepers_.empty() || count < 2 || total < worth_waking_ns) {
    task.work();
  } else {
    {
      const std::lock_guard lock(mutex_);
      task_ = &task;
      ++round_;
    }
    wake_.notify_all();
    task.work();
    // Helpers still asleep are not waited for: nobody may join any more, and only those inside must leave.
    std::unique_lock lock(mutex_);
    task_ = nullptr;
    left_.wait(lock, [this] { return inside_ == 0; });
  }
  if (task.failure) std::rethrow_exception(task.failure);
  if (task.next.load() < count) throw Cancelled();
}

void ThreadPool::sleep_and_help(const std::stop_token& quit) {
  std::uint64_t seen = 0;
  std::unique_lock lock(mutex_);
  while (wake_.wait(lock, quit, [&] { return task_ != nullptr && round_ != seen; })) {
    seen = round_;
    Task& task = *task_;
    ++inside_;
    lock.unlock();
    task.work();
    lock.lock();
    if (--inside_ == 0) left_.notify_one();
  }
}

}  // namespace attnscope
