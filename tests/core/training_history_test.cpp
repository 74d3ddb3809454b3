// Going back: any step of a run is reached to the bit, whatever was turned on the way and however little
// memory there is.
#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "core/base/error.hpp"
#include "core/training/batch.hpp"
#include "core/training/history.hpp"
#include "core/training/kernels/kernels.hpp"
#include "core/training/learner.hpp"

namespace attnscope::training::history_test {
namespace {

constexpr int steps = 60, every = 5;

/// Heads are muted and the rate is turned on the way; two turns stand at one step.
void turn(Trainer& trainer, History& history) {
  Knobs knobs = trainer.knobs();
  if (trainer.step() == 20) knobs.operation.muted = {0, 1, 0, 0};
  if (trainer.step() == 33) knobs.rate_factor = 0.25;
  if (trainer.step() == 40) knobs = {{true, false, {}}, 2};
  if (knobs == trainer.knobs()) return;
  trainer.set_knobs(knobs);
  history.note_knobs(trainer);
  if (trainer.step() != 20) return;
  knobs.operation.scaled = false;
  trainer.set_knobs(knobs);
  history.note_knobs(trainer);
}

Recipe recipe_of_run() {
  Recipe recipe = find_task("small-induction")->recipe;
  recipe.steps = steps;
  recipe.measured_sequences = 4;
  return recipe;
}

}  // namespace

TEST_CASE("any step of a run can be gone back to, to the bit", "[training]") {
  const Recipe recipe = recipe_of_run();
  Trainer run(recipe, 2);
  const std::int64_t bytes = 12 * run.network().layout.size;
  for (const std::int64_t most : {bytes * 1000, bytes * 5, std::int64_t{1}}) {
    INFO(most);
    Trainer trainer(recipe, 2);
    History history(most);
    std::vector<Snapshot> expected;
    for (int step = 0; step <= steps; ++step) {
      if (step % every == 0) history.keep(trainer, trainer.measure());
      turn(trainer, history);
      expected.push_back(trainer.snapshot());
      trainer.train(1);
    }
    CHECK(history.metrics().size() == steps / every + 1);
    CHECK(history.snapshots() <= (most == bytes * 1000 ? steps / every + 1 : 5));
    CHECK(history.snapshots() >= 2);
    for (const int step : {0, 1, 19, 20, 21, 33, 37, 40, 59, 60, 12}) {
      history.go_to(trainer, step);
      CHECK(trainer.snapshot() == expected[static_cast<std::size_t>(step)]);
    }
    CHECK_THROWS_AS(history.go_to(trainer, -1), Error);

    history.cut(30);
    CHECK(history.metrics().back().step == 30);
    history.go_to(trainer, 30);
    CHECK(trainer.snapshot() == expected[30]);
  }
}

TEST_CASE("of too many snapshots every second one goes, and the newest stays", "[training]") {
  Trainer trainer(recipe_of_run(), 1);
  History history(12 * trainer.network().layout.size * 5);
  for (int i = 0; i < 6; ++i) {
    history.keep(trainer, {});
    trainer.train(1);
  }
  CHECK(history.snapshots() == 4);  // of steps 0, 2, 4 and 5
}

TEST_CASE("every step reads the sequences that come behind those of the step before", "[training]") {
  const Recipe recipe = prepared(recipe_of_run());
  Trainer trainer(recipe, 1);
  trainer.train(3);
  Learner<float> learner(recipe, kernels<float>(), 1);
  Batch batch(recipe.network, recipe.batch, learner.sequences_of_chunk());
  const std::unique_ptr<Maker> maker = find_task(recipe.task)->maker(recipe);
  const Knobs knobs = trainer.knobs();
  for (int step = 0; step < 3; ++step) {
    for (int i = 0; i < recipe.batch; ++i)
      batch.make(*maker, recipe.seed, DataStream::Training,
                 static_cast<std::uint64_t>(step * recipe.batch + i), i);
    batch.gather();
    learner.step(batch, knobs.operation, rate_at(recipe.optimiser, recipe.steps, step));
  }
  const std::span<const float> expected(learner.weights().data(), trainer.weights().size());
  CHECK(std::ranges::equal(trainer.weights(), expected));
}

}  // namespace attnscope::training::history_test
