// Models in the background while their input changes: work that is not wanted any more stops, and no reading
// is inconsistent.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "core/base/error.hpp"
#include "core/engine/model/model_engine.hpp"
#include "core/opened_models.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::model_engine_threads_test {

using opened_models::within_of;

TEST_CASE("newer input stops what is later than the run", "[models]") {
  const test::TemporaryDirectory directory;
  std::atomic<int> told{0}, go_on{0};
  std::mutex mutex;
  std::vector<std::pair<std::uint64_t, bool>> seen;  // ticket, whether it was complete
  std::atomic<ModelEngine*> self{nullptr};
  ModelEngine engine(
      [&] {
        const ModelReadingPtr latest = self.load()->latest();
        {
          const std::lock_guard lock(mutex);
          seen.emplace_back(latest->ticket, latest->is_complete);
        }
        ++told;
        told.notify_all();
        go_on.wait(0);  // the worker waits here until the test lets it continue
      },
      1);
  self = &engine;
  const OpenedModelPtr model = opened_models::small_gpt(directory / "gpt");
  engine.submit(within_of(model, "abcabc"));
  told.wait(0);  // the run is published; no later result exists yet
  CHECK_FALSE(engine.latest()->is_complete);
  CHECK(engine.latest()->prediction);
  CHECK(engine.busy());
  const std::uint64_t second = engine.submit(within_of(model, "abcabcd"));
  go_on = 1;
  go_on.notify_all();
  engine.wait_idle();
  CHECK(engine.latest()->ticket == second);
  CHECK(engine.latest()->is_complete);
  const std::lock_guard lock(mutex);
  CHECK(std::ranges::count(seen, std::pair<std::uint64_t, bool>(1, true)) == 0);
}

TEST_CASE("what a person stops is told of as stopped, and goes on", "[models]") {
  const test::TemporaryDirectory directory;
  std::atomic<int> told{0}, go_on{0};
  std::atomic<ModelEngine*> self{nullptr};
  std::atomic<bool> last_told_stopped{false};
  ModelEngine engine(
      [&] {
        last_told_stopped = self.load()->latest()->is_stopped;
        ++told;
        told.notify_all();
        go_on.wait(0);
      },
      1);
  self = &engine;
  const ModelContext within = within_of(opened_models::small_gpt(directory / "gpt"), "abcabc");
  const std::uint64_t first = engine.submit(within);
  told.wait(0);  // the run is published
  engine.cancel();
  go_on = 1;
  go_on.notify_all();
  engine.wait_idle();
  told.wait(1);
  const ModelReadingPtr stopped = engine.latest();
  CHECK(stopped->ticket == first);
  CHECK(stopped->error.empty());
  CHECK(stopped->is_stopped);
  CHECK_FALSE(stopped->is_complete);
  CHECK(stopped->prediction);
  CHECK(last_told_stopped);  // else a waiting window would not draw the end
  engine.submit(within);
  engine.wait_idle();
  CHECK(engine.latest()->run == stopped->run);
  CHECK(engine.latest()->is_complete);
  CHECK_FALSE(engine.latest()->is_stopped);
}

TEST_CASE("under a storm of edits no reading is torn and the last one arrives", "[models]") {
  const test::TemporaryDirectory directory;
  std::atomic<std::uint64_t> newest{0};
  std::atomic<bool> out_of_order{false};
  std::atomic<ModelEngine*> self{nullptr};
  ModelEngine engine(
      [&] {
        const ModelReadingPtr latest = self.load()->latest();
        if (latest && latest->ticket < newest.exchange(latest->ticket)) out_of_order = true;
      },
      2);
  self = &engine;
  const OpenedModelPtr model = opened_models::small_gpt(directory / "gpt");
  std::vector<std::jthread> hands;
  for (int hand = 0; hand < 3; ++hand)
    hands.emplace_back([&, hand] {
      std::string text = "abc";
      for (int i = 0; i < 60; ++i) {
        text = text.size() > 10 ? "ab" : text + static_cast<char>('a' + (i + hand) % 20);
        ModelContext within = within_of(model, text);
        within.block = i % 3;
        if (i % 3 == 0) within.changes.heads = {{.block = i % 2, .head = hand}};
        if (i % 13 == 0) within.input.text.clear();
        engine.submit(std::move(within), {.effects = i % 5 == 0});
        if (i % 17 == hand) engine.cancel();
        if (i % 29 == hand) engine.forget();
        engine.running_task();
        const ModelReadingPtr reading = engine.latest();
        if (reading && reading->error.empty() &&
            !(reading->run && reading->clean && reading->tokens && reading->prediction))
          throw Error("a torn reading");
      }
    });
  hands.clear();
  const std::uint64_t last = engine.submit(within_of(model, "abcab"));
  engine.wait_idle();
  CHECK(engine.latest()->ticket == last);
  CHECK(engine.latest()->is_complete);
  CHECK_FALSE(out_of_order);
}

TEST_CASE("the engine may go while it works", "[models]") {
  const test::TemporaryDirectory directory;
  const OpenedModelPtr model = opened_models::small_gpt(directory / "gpt");
  for (int i = 0; i < 10; ++i) {
    ModelEngine engine({}, 2);
    engine.submit(within_of(model, "abcabcabcabc"));
    if (i % 2 == 0) engine.submit(within_of(model, "abcabcabcabd"));
  }
}

}  // namespace attnscope::model_engine_threads_test
