// Switching the backend while the engine runs: which one computes what, which stages are kept, and which
// takes over after a failure.
#include <atomic>
#include <mutex>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "core/base/error.hpp"
#include "core/engine/live_engine.hpp"
#include "core/engine/one_at_a_time.hpp"
#include "core/samples.hpp"
#include "support/second_backend.hpp"

namespace attnscope::switch_test {

using test::SecondBackend;

namespace {

/// Documents that share all their numbers and differ in their temperature only.
Document numbered(int number) {
  static const Document base = [] {
    samples::Random random(1);
    return samples::text_document(random, {5}, 2, 4);
  }();
  Document document = base;
  document.layer().temperature = static_cast<float>(number);
  return document;
}

/// Too many scores to keep them all.
Document long_document() {
  samples::Random random(2);
  Document document;
  document.layer().positions = Positions::None;
  document.input.numbers =
      Given{random.tensor({1, 8, 2300, 4}), random.tensor({1, 8, 2300, 4}), random.tensor({1, 8, 2300, 4})};
  return document;
}

}  // namespace

TEST_CASE("switch: the newest Document is computed anew, whole, by the other backend") {
  const auto first = std::make_shared<SecondBackend>("first"), second = std::make_shared<SecondBackend>();
  LiveEngine engine(first);
  CHECK(engine.use(second) == 0);  // nothing to compute yet
  CHECK(engine.use(first) == 0);
  engine.submit(numbered(1));
  engine.submit(numbered(2));
  engine.wait_idle();
  const ResultPtr before = engine.latest_good();
  CHECK(before->backend == "first");
  CHECK(engine.use(first) == 0);  // it is the current one already
  const std::uint64_t ticket = engine.use(second);
  CHECK(ticket == before->ticket + 1);
  engine.wait_idle();
  const ResultPtr after = engine.latest_good();
  CHECK(after->ticket == ticket);
  CHECK(after->backend == "Second");
  CHECK(after->backend_note.empty());
  CHECK(after->document == before->document);
  CHECK(engine.backend() == second);
  for (const StageInfo& row : stage_table) {
    INFO(row.name);
    const TensorPtr &a = before->layer().trace[row.stage], &b = after->layer().trace[row.stage];
    CHECK((a == nullptr) == (b == nullptr));
    if (!a || !b) continue;
    CHECK(a != b);
    CHECK(*a == *b);
    // Textures tell tensors apart by these.
    CHECK(after->layer().made_in[row.stage] > before->layer().made_in[row.stage]);
  }
  Document warmer = numbered(3);  // its stages are reused again
  engine.submit(warmer);
  engine.wait_idle();
  CHECK(engine.latest_good()->layer().trace[Stage::Score] == after->layer().trace[Stage::Score]);
  CHECK_FALSE(first->was_mixed());
  CHECK_FALSE(second->was_mixed());
}

TEST_CASE("switch: a run is stopped at once and its Document goes to the other backend") {
  const auto slow = std::make_shared<SecondBackend>("slow"), quick = std::make_shared<SecondBackend>();
  LiveEngine engine(slow);
  engine.submit(numbered(1));
  engine.wait_idle();
  const ResultPtr picture = engine.latest_good();
  slow->halt_at(Stage::Softmax);
  engine.submit(numbered(2));
  slow->await_halt();
  CHECK(engine.latest_good() == picture);
  engine.use(quick);
  engine.wait_idle();  // the slow one was never released
  CHECK(slow->stopped() == 1);
  CHECK(engine.latest_good()->backend == "Second");
  CHECK(engine.latest_good()->document.layer().temperature == 2.0f);
  CHECK(engine.latest()->error.empty());

  quick->halt_at(Stage::Softmax);  // with one Document running and one waiting: the one that waits is newest
  engine.submit(numbered(3));
  quick->await_halt();
  engine.submit(numbered(4));
  slow->halt_at(std::nullopt);
  engine.use(slow);
  engine.wait_idle();
  CHECK(engine.latest_good()->document.layer().temperature == 4.0f);
  CHECK(engine.latest_good()->backend == "slow");
  CHECK_FALSE(slow->was_mixed());
  CHECK_FALSE(quick->was_mixed());
}

TEST_CASE("switch: a Document that was refused is tried by the other backend") {
  const auto second = std::make_shared<SecondBackend>();
  LiveEngine engine(second);
  second->fail_at(Stage::Mix);
  engine.submit(numbered(1));
  engine.wait_idle();
  CHECK(engine.latest()->error == "Out of device memory: 12 GiB are needed.");
  second->fail_at(Stage::Mix, "");  // an empty message is a failure, too
  engine.submit(numbered(1));
  engine.wait_idle();
  CHECK(engine.latest()->error == "The computation failed for an unknown reason.");
  engine.use(make_cpu_backend(1));
  engine.wait_idle();
  CHECK(engine.latest()->error.empty());
  CHECK(engine.latest()->document.layer().temperature == 1.0f);
}

TEST_CASE("switch: when a backend fails the stand-in takes over, says why and goes on") {
  const std::shared_ptr<Backend> cpu = make_cpu_backend(1);
  const auto second = std::make_shared<SecondBackend>();
  LiveEngine engine(second, {}, cpu);
  engine.submit(numbered(1));
  engine.wait_idle();
  REQUIRE(engine.latest()->backend == "Second");
  second->fail_at(Stage::Mix);
  const std::uint64_t ticket = engine.submit(numbered(2));
  engine.wait_idle();
  const ResultPtr taken = engine.latest();
  CHECK(taken->ticket == ticket);
  CHECK(taken->error.empty());
  CHECK(taken->backend == "CPU · 1 thread");
  CHECK(taken->backend_note ==
        "The backend \"Second\" failed and \"CPU · 1 thread\" took over. Out of device memory: 12 GiB are "
        "needed.");
  CHECK(engine.backend() == cpu);
  const ResultPtr alone = Pipeline(make_cpu_backend(1)).run(numbered(2));
  for (const StageInfo& row : stage_table)
    if (alone->layer().trace[row.stage])
      CHECK(*taken->layer().trace[row.stage] == *alone->layer().trace[row.stage]);

  second->fail_at(std::nullopt);  // it is not tried again until it is chosen again
  engine.submit(numbered(3));
  engine.wait_idle();
  CHECK(engine.latest()->backend == "CPU · 1 thread");
  CHECK(engine.latest()->backend_note == taken->backend_note);
  engine.use(second);
  engine.wait_idle();
  CHECK(engine.latest()->backend == "Second");
  CHECK(engine.latest()->backend_note.empty());
  CHECK_FALSE(second->was_mixed());
}

TEST_CASE("switch: a Document that no backend can compute changes none of them") {
  const auto second = std::make_shared<SecondBackend>();
  LiveEngine engine(second, {}, make_cpu_backend(1));
  engine.submit(numbered(1));
  engine.wait_idle();
  const ResultPtr good = engine.latest_good();
  Document broken = numbered(2);
  broken.layer().heads = 3;
  engine.submit(broken);
  engine.wait_idle();
  CHECK(engine.latest()->error.starts_with("d_model 4 cannot be split over 3 heads"));
  CHECK(engine.latest_good() == good);
  CHECK(engine.backend() == second);
  engine.submit(numbered(3));
  engine.wait_idle();
  CHECK(engine.latest()->backend == "Second");
  CHECK(engine.latest()->layer().trace[Stage::Score] ==
        good->layer().trace[Stage::Score]);  // its earlier stages are still known
}

TEST_CASE("switch: a failure while a long Document is refined goes on where it was") {
  const auto second = std::make_shared<SecondBackend>();
  std::mutex guard;  // the last call comes when the engine is idle already
  std::vector<std::int64_t> steps;
  std::atomic<LiveEngine*> self{nullptr};
  LiveEngine engine(
      second,
      [&] {
        const std::lock_guard lock(guard);
        steps.push_back(self.load()->latest_good()->layer().surveys.at(0)->known.rows.step);
      },
      make_cpu_backend(1));
  self = &engine;
  second->fail_after_sweeps(2);
  const std::uint64_t ticket = engine.submit(long_document());
  engine.wait_idle();
  const ResultPtr result = engine.latest();
  CHECK(result->error.empty());
  CHECK(result->ticket == ticket);
  CHECK(result->layer().is_complete());
  CHECK(result->backend == "CPU · 1 thread");
  CHECK(result->backend_note.starts_with("The backend \"Second\" failed"));
  CHECK(engine.latest_good() == result);
  const std::vector<std::int64_t> seen = [&] {
    const std::lock_guard lock(guard);
    return steps;
  }();
  REQUIRE(seen.size() >= 3);
  for (std::size_t i = 1; i < seen.size(); ++i) CHECK(seen[i] <= seen[i - 1]);  // never coarser
  Pipeline alone(make_cpu_backend(1));
  ResultPtr whole = alone.run(long_document());
  while (alone.can_refine()) whole = alone.refine();
  CHECK(*whole->layer().trace[Stage::Mix] == *result->layer().trace[Stage::Mix]);

  second->fail_after_sweeps(0);  // and one that fails at its first look
  engine.use(second);
  engine.wait_idle();
  CHECK(engine.latest()->layer().is_complete());
  CHECK(engine.latest()->backend == "CPU · 1 thread");
}

TEST_CASE("switch: what a whole Document costs is told also where stages were kept") {
  const auto second = std::make_shared<SecondBackend>();
  Pipeline pipeline(second);
  const ResultPtr first = pipeline.run(numbered(1));
  CHECK(first->layer().whole.total() > 0);
  CHECK(first->layer().whole.total() <= first->total_milliseconds);
  const ResultPtr next = pipeline.run(numbered(2));
  CHECK(next->layer().milliseconds[Stage::Score] == 0);
  CHECK(next->layer().whole.stages[Stage::Score] == first->layer().whole.stages[Stage::Score]);
  CHECK(next->layer().whole.stages[Stage::Softmax] == next->layer().milliseconds[Stage::Softmax]);
  CHECK(next->layer().whole.measures > 0);
}

TEST_CASE("switch: under a storm of edits, switches and failures the last Document arrives, unmixed") {
  const auto one = std::make_shared<SecondBackend>("one"), two = std::make_shared<SecondBackend>("two");
  const std::shared_ptr<Backend> cpu = make_cpu_backend(1);
  std::atomic<std::uint64_t> newest{0};
  std::atomic<bool> out_of_order{false};
  std::atomic<LiveEngine*> self{nullptr};
  LiveEngine engine(
      one,
      [&] {
        const std::uint64_t ticket = self.load()->latest()->ticket;
        if (ticket < newest.exchange(ticket)) out_of_order = true;
      },
      cpu);
  self = &engine;
  std::vector<std::jthread> hands;
  hands.emplace_back([&] {
    for (int i = 0; i < 200; ++i) engine.submit(numbered(1 + i % 7));
  });
  hands.emplace_back([&] {
    for (int i = 0; i < 200; ++i) {
      engine.use(i % 3 == 0   ? std::shared_ptr<Backend>(one)
                 : i % 3 == 1 ? std::shared_ptr<Backend>(two)
                              : cpu);
      two->fail_at(i % 5 == 0 ? std::optional(Stage::Output) : std::nullopt);
      if (i % 17 == 0) engine.cancel();
      if (!engine.backend()) throw Error("nobody computes");
    }
  });
  hands.clear();
  engine.use(one);
  const std::uint64_t last = engine.submit(numbered(3));
  engine.wait_idle();
  CHECK(engine.latest()->ticket == last);
  CHECK(engine.latest()->error.empty());
  CHECK(engine.latest()->backend == "one");
  CHECK_FALSE(out_of_order);
  CHECK_FALSE(one->was_mixed());
  CHECK_FALSE(two->was_mixed());
}

TEST_CASE(
    "switch: a shared backend is called by one thread at a time, and a thread that waits can be stopped") {
  auto owned = std::make_unique<SecondBackend>();
  SecondBackend& inside = *owned;
  const std::shared_ptr<Backend> shared = one_at_a_time(std::move(owned));
  CHECK(shared->name() == "Second");
  inside.halt_at(Stage::Softmax);
  std::jthread holder([&](const std::stop_token& stop) {
    try {
      Pipeline(shared).run(numbered(1), stop);
    } catch (const Cancelled&) {
    }
  });
  inside.await_halt();
  std::atomic<bool> cancelled{false};
  std::jthread waiter([&](const std::stop_token& stop) {
    try {
      Pipeline(shared).run(numbered(2), stop);
    } catch (const Cancelled&) {
      cancelled = true;
    }
  });
  waiter.request_stop();
  waiter.join();
  CHECK(cancelled);
  holder.request_stop();
  holder.join();
  CHECK(inside.stopped() == 1);
  inside.halt_at(std::nullopt);
  CHECK(Pipeline(shared).run(numbered(3))->backend == "Second");
}

}  // namespace attnscope::switch_test
