// The worker for all background work. The tests wait for events, not for time.
#include "core/base/worker.hpp"

#include <future>
#include <vector>

#include <catch2/catch_test_macros.hpp>

namespace attnscope::worker_test {
namespace {

/// Notes its number in each of its steps; the first waits at the gate when there is one.
class Noted final : public Job {
 public:
  Noted(int number, std::vector<int>& log, int steps = 1, std::shared_future<void> gate = {})
      : number_(number), log_(log), steps_(steps), gate_(std::move(gate)) {}
  bool step() override {
    entered_.count_down_once();
    if (gate_.valid()) std::exchange(gate_, {}).wait();
    log_.push_back(stop_token().stop_requested() ? -number_ : number_);
    return --steps_ > 0;
  }
  void finished() override { log_.push_back(100 * number_); }
  void await_begin() { entered_.wait(); }

 private:
  struct Once {
    std::promise<void> promise;
    std::shared_future<void> future = promise.get_future().share();
    bool is_set = false;
    void count_down_once() {
      if (!std::exchange(is_set, true)) promise.set_value();
    }
    void wait() const { future.wait(); }
  };
  int number_;
  std::vector<int>& log_;  // of the worker's thread until wait() has returned
  int steps_;
  std::shared_future<void> gate_;
  Once entered_;
};

/// Keeps the worker busy until it is opened.
struct Gate {
  std::promise<void> promise;
  std::shared_future<void> future = promise.get_future().share();
  void open() { promise.set_value(); }
};

/// Waits until the worker has called finished() of all earlier Jobs, by a Job in another lane.
void settle(Worker& worker) {
  worker.add(std::make_shared<Task<int>>([](const std::stop_token&, NoProgress&) { return 0; }), 3);
  worker.wait(3);
}

}  // namespace

TEST_CASE("Jobs of a lane are done in the order they came, those of earlier lanes first") {
  std::vector<int> log;
  Gate gate;
  Worker worker;
  const auto first = std::make_shared<Noted>(1, log, 1, gate.future);
  worker.add(first, 1);
  first->await_begin();
  worker.add(std::make_shared<Noted>(2, log), 1);
  worker.add(std::make_shared<Noted>(3, log), 1);
  worker.add(std::make_shared<Noted>(4, log), 0);
  CHECK(worker.is_busy(0));
  CHECK(worker.is_busy(1));
  CHECK(!worker.is_busy(2));
  CHECK(worker.running_for().count() > 0);
  gate.open();
  settle(worker);
  CHECK(log == std::vector<int>{1, 100, 4, 400, 2, 200, 3, 300});
  CHECK(!worker.is_busy(1));
}

TEST_CASE("The newest takes the place of those that wait, and what runs is stopped") {
  std::vector<int> log;
  Gate gate;
  Worker worker;
  const auto first = std::make_shared<Noted>(1, log, 5, gate.future);
  worker.add(first);
  first->await_begin();
  worker.replace(std::make_shared<Noted>(2, log));
  worker.replace(std::make_shared<Noted>(3, log));
  CHECK(first->stop_token().stop_requested());
  gate.open();
  settle(worker);
  CHECK(log == std::vector<int>{-1, 100, 3, 300});  // none of its other steps is done
}

TEST_CASE("Steps let earlier lanes come between") {
  std::vector<int> log;
  Gate gate;
  Worker worker;
  const auto first = std::make_shared<Noted>(1, log, 3, gate.future);
  worker.add(first, 1);
  first->await_begin();
  worker.add(std::make_shared<Noted>(2, log), 0);
  gate.open();
  settle(worker);
  CHECK(log == std::vector<int>{1, 2, 200, 1, 1, 100});
}

TEST_CASE("With patience what runs goes on until it is too old; without end it is never stopped") {
  using namespace std::chrono_literals;
  std::vector<int> log;
  {
    Gate gate;
    Worker worker;
    const auto first = std::make_shared<Noted>(1, log, 1, gate.future);
    worker.add(first);
    first->await_begin();
    worker.replace(std::make_shared<Noted>(2, log), 0, Worker::never);
    CHECK(!first->stop_token().stop_requested());
    gate.open();
    settle(worker);
    CHECK(log == std::vector<int>{1, 100, 2, 200});
  }
  Worker worker;
  std::promise<void> begun;
  const auto endless = std::make_shared<Task<int>>([&](const std::stop_token& stop, NoProgress&) -> int {
    begun.set_value();
    while (!stop.stop_requested()) std::this_thread::yield();
    throw Cancelled();
  });
  const auto start = std::chrono::steady_clock::now();
  worker.add(endless);
  begun.get_future().wait();
  worker.replace(nullptr, 0, 50ms);
  worker.wait();
  CHECK(std::chrono::steady_clock::now() - start >= 50ms);
  CHECK(endless->is_done());
  CHECK(endless->error() == "Stopped.");
}

TEST_CASE("A task has its value, or says why there is none") {
  Worker worker;
  const auto good =
      std::make_shared<Task<int, std::atomic<int>>>([](const std::stop_token&, std::atomic<int>& steps) {
        steps = 7;
        return 42;
      });
  const auto bad = std::make_shared<Task<int>>(
      [](const std::stop_token&, NoProgress&) -> int { throw Error("There is no number."); });
  const auto late = std::make_shared<Task<int>>([](const std::stop_token&, NoProgress&) { return 1; });
  late->cancel();
  CHECK(!good->is_done());
  CHECK(good->result() == nullptr);
  worker.add(good);
  worker.add(bad);
  worker.add(late);
  worker.wait();
  CHECK(*good->result() == 42);
  CHECK(good->progress() == 7);
  CHECK(good->take() == 42);
  CHECK(bad->is_done());
  CHECK(bad->result() == nullptr);
  CHECK(bad->error() == "There is no number.");
  CHECK(late->error() == "Stopped.");
}

TEST_CASE("A worker that goes away stops what runs and does nothing more") {
  std::vector<int> log;
  std::promise<void> begun;
  {
    Worker worker;
    worker.add(std::make_shared<Task<int>>([&](const std::stop_token& stop, NoProgress&) {
      begun.set_value();
      while (!stop.stop_requested()) std::this_thread::yield();
      return 0;
    }));
    worker.add(std::make_shared<Noted>(2, log));
    begun.get_future().wait();
  }
  CHECK(log.empty());
}

}  // namespace attnscope::worker_test
