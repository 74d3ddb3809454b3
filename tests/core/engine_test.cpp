// The engine with lanes that count: what is published, told, forgotten and said after a failure, whatever the
// lanes compute.
#include <atomic>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "core/base/error.hpp"
#include "core/engine/engine_runs.hpp"
#include "support/wait.hpp"

namespace attnscope::engine_test {
namespace {

struct Counted {
  int step = 0;
  std::string error;
};
using CountedPtr = std::shared_ptr<const Counted>;

/// Counts up to the question, a step a number; every second number is published. Negative: throws in its
/// first step.
class Counting final : public LaneWork<int, Counted> {
 public:
  Counting() : LaneWork(FailureWords{"There is no memory."}) {}

  Made first(const Asked& asked, const CountedPtr& before) override {
    log.push_back("first " + std::to_string(asked.question));
    step_ = 0;
    newest_good = before;
    if (asked.question == -1) throw std::bad_alloc();
    if (asked.question == -2) throw Error("The sky fell.");
    if (asked.question == -3) throw Error("");
    if (asked.question == -4) throw 7;
    return made(asked);
  }
  Made next(const Asked& asked) override {
    ++step_;
    return made(asked);
  }
  CountedPtr failed(const Asked&, std::string error) override {
    return std::make_shared<const Counted>(Counted{step_, std::move(error)});
  }
  CountedPtr stopped(const Asked& asked) override {
    return asked.known ? nullptr : failed(asked, "Cancelled");
  }
  void ended() override { log.push_back("ended"); }
  void forget() override {
    log.push_back("forget");
    forgot_on = std::this_thread::get_id();
  }

  // Read while the engine is idle.
  std::vector<std::string> log;
  std::thread::id forgot_on;
  CountedPtr newest_good;

 private:
  Made made(const Asked& asked) const {
    const bool is_published = step_ % 2 == 0;
    return {is_published ? std::make_shared<const Counted>(Counted{step_, {}}) : nullptr,
            step_ < asked.question};
  }
  int step_ = 0;
};

class Counter final : public Engine<int, Counted> {
 public:
  explicit Counter(const std::shared_ptr<Counting>& counting, std::function<void()> on_publish = {})
      : Engine({counting}, std::move(on_publish)) {}
  using Engine::submit_again, Engine::submit_another;
};

}  // namespace

TEST_CASE("engine: what a step throws is said in a sentence, and what was good stays") {
  const auto counting = std::make_shared<Counting>();
  Counter engine(counting);
  engine.submit(0);
  engine.wait_idle();
  const CountedPtr good = engine.latest_good();
  REQUIRE(good);
  const std::vector<std::string> said{"There is no memory.", "The sky fell.",
                                      "The computation failed for an unknown reason.",
                                      "The computation failed for an unknown reason."};
  for (int i = 0; i < 4; ++i) {
    engine.submit(-1 - i);
    engine.wait_idle();
    CHECK(engine.latest()->error == said[static_cast<std::size_t>(i)]);
    CHECK(engine.latest_good() == good);
    CHECK(counting->newest_good == good);
  }
}

TEST_CASE("engine: each answer is told of, the last one when the engine is idle") {
  for (const int steps : {0, 1, 4, 5}) {
    CAPTURE(steps);
    std::atomic<int> told{0}, told_idle{0};
    std::atomic<Counter*> self{nullptr};
    Counter engine(std::make_shared<Counting>(), [&] {
      if (!self.load()->busy()) ++told_idle;
      ++told;
    });
    self = &engine;
    CHECK(engine.submit(steps) == 1);
    CHECK(test::wait_until([&] { return told_idle == 1; }));
    CHECK(engine.latest()->step == steps / 2 * 2);
    // Where the last step has nothing to publish, the end is told nevertheless.
    CHECK(test::wait_until([&] { return told == steps / 2 + 1 + steps % 2; }));
  }
}

TEST_CASE("engine: an equal question is computed again only after it was cancelled") {
  const auto counting = std::make_shared<Counting>();
  Counter engine(counting);
  engine.submit_another(1);
  engine.submit_another(1);
  engine.wait_idle();
  CHECK(counting->log == std::vector<std::string>{"first 1", "ended"});
  engine.cancel();
  engine.submit_another(1);
  engine.wait_idle();
  CHECK(counting->log.size() == 4);
  engine.submit_another(2);
  engine.wait_idle();
  CHECK(counting->log.back() == "ended");
  CHECK(counting->log.size() == 6);
  CHECK(engine.submit_again() == 4);
  engine.wait_idle();
  CHECK(counting->log.size() == 8);
}

TEST_CASE("engine: the worker forgets before the lane's next question") {
  const auto counting = std::make_shared<Counting>();
  Counter engine(counting);
  CHECK(engine.submit_again() == 0);
  engine.submit(1);
  engine.wait_idle();
  engine.forget();
  CHECK_FALSE(engine.latest());
  CHECK_FALSE(engine.latest_good());
  CHECK(engine.submit(2) == 2);
  engine.wait_idle();
  CHECK(counting->log == std::vector<std::string>{"first 1", "ended", "forget", "first 2", "ended"});
  CHECK(counting->forgot_on != std::this_thread::get_id());
  CHECK_FALSE(counting->newest_good);
  CHECK(engine.latest()->step == 2);
}

}  // namespace attnscope::engine_test
