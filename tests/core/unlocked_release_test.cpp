// Locks are short: nothing that others own is destroyed while one is held.
// What is destroyed here asks, from another thread, for what the lock guards, and notes whether it hears
// back.
#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "core/base/worker.hpp"

namespace attnscope::unlocked_release_test {
namespace {

/// Long enough for a thread to be scheduled; only a test that fails waits for it.
constexpr std::chrono::seconds patience{10};

/// Asks from a thread of its own and waits for the answer, for a time. What it asks must outlive this.
class Asker {
 public:
  explicit Asker(std::function<void()> ask) : ask_(std::move(ask)) {}
  void ask() {
    if (asked > answered) return;  // one wait is enough to fail
    std::promise<void> heard;
    const std::future<void> answer = heard.get_future();
    threads_.emplace_back([this, heard = std::move(heard)]() mutable {
      ask_();
      heard.set_value();
    });
    ++asked;
    if (answer.wait_for(patience) == std::future_status::ready) ++answered;
  }
  std::atomic<int> asked{0}, answered{0};

 private:
  std::function<void()> ask_;
  std::vector<std::jthread> threads_;
};

/// Waits in the worker until the worker goes away.
class Last final : public Job {
 public:
  explicit Last(std::shared_ptr<Asker> asker) : asker_(std::move(asker)) {}
  ~Last() override { asker_->ask(); }
  bool step() override { return false; }

 private:
  std::shared_ptr<Asker> asker_;
};

}  // namespace

TEST_CASE("A worker that goes away lets the jobs go that still wait, without its lock") {
  auto worker = std::make_unique<Worker>();
  Worker* const asked = worker.get();
  const auto asker = std::make_shared<Asker>([asked] { asked->is_busy(); });
  std::promise<void> begun;
  worker->add(std::make_shared<Task<int>>([&](const std::stop_token& stop, NoProgress&) {
    begun.set_value();
    while (!stop.stop_requested()) std::this_thread::yield();
    return 0;
  }));
  begun.get_future().wait();
  for (int lane = 0; lane < Worker::most_lanes; ++lane) worker->add(std::make_shared<Last>(asker), lane);
  worker.reset();
  CHECK(asker->asked == Worker::most_lanes);
  CHECK(asker->answered == Worker::most_lanes);
}

}  // namespace attnscope::unlocked_release_test
