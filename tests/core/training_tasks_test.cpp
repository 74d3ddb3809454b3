// What is said of the tasks, by training them: that the recipe reaches the goal, that the control does not,
// and why.
#include <algorithm>
#include <string>
#include <tuple>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "core/base/error.hpp"
#include "core/training/trainer.hpp"
#include "support/turns.hpp"

namespace attnscope::training::tasks_test {
namespace {

struct Outcome {
  Metrics metrics;
  bool reached_goal = false;
};

/// Until the goal or so many steps; as a run does it.
Outcome run(const Recipe& recipe, int steps) {
  Trainer trainer(recipe, 2);
  while (true) {
    Outcome outcome{trainer.measure(), false};
    outcome.reached_goal = trainer.reaches_goal(outcome.metrics);
    if ((outcome.reached_goal && recipe.stops_at_goal) || trainer.step() >= steps) return outcome;
    trainer.train(std::min(recipe.measure_every, steps - static_cast<int>(trainer.step())));
  }
}

const TaskRow& task(std::string_view key) { return *find_task(key); }

Recipe with_seed(Recipe recipe, std::uint64_t seed) {
  recipe.seed = seed;
  return recipe;
}

double best(const std::vector<double>& of_heads) { return *std::ranges::max_element(of_heads); }

}  // namespace

TEST_CASE("reverse: an anti-diagonal, which rotary positions cannot give", "[training]") {
  ATTNSCOPE_THIRD(0);
  for (const std::uint64_t seed : {0, 1, 2}) {
    const Outcome outcome = run(with_seed(task("reverse").recipe, seed), 300);
    CHECK(outcome.reached_goal);
    CHECK(best(outcome.metrics.scores[0]) > 0.85);
  }
  CHECK(run(task("reverse").control, 800).metrics.groups[0].accuracy < 0.5);
}

TEST_CASE("two jobs: each head takes one, and which is the seed's", "[training]") {
  ATTNSCOPE_THIRD(1);
  bool first_head_looks_back = false, second_head_looks_back = false;
  for (const std::uint64_t seed : {0, 1, 2}) {
    const Outcome outcome = run(with_seed(task("two-jobs").recipe, seed), 600);
    CHECK(outcome.reached_goal);
    CHECK(outcome.metrics.groups[1].accuracy > 0.99);
    const auto& [previous, first] = std::pair(outcome.metrics.scores[0], outcome.metrics.scores[1]);
    CHECK(best(previous) > 0.9);
    CHECK(best(first) > 0.9);
    const bool looks_back = previous[0] > previous[1];
    CHECK((looks_back ? first[1] > first[0] : first[0] > first[1]));
    (looks_back ? first_head_looks_back : second_head_looks_back) = true;
  }
  CHECK(first_head_looks_back);
  CHECK(second_head_looks_back);
  CHECK_FALSE(run(task("two-jobs").control, 600).reached_goal);
}

TEST_CASE("two jobs: without its head a job is lost, and the other is not", "[training]") {
  ATTNSCOPE_THIRD(0);
  Recipe recipe = task("two-jobs").recipe;
  Trainer trainer(recipe, 2);
  trainer.train(recipe.steps);
  const Metrics whole = trainer.measure();
  for (const std::size_t muted : {0u, 1u}) {
    Operation operation = trainer.knobs().operation;
    operation.muted = {0, 0};
    operation.muted[muted] = 1;
    const Metrics without = trainer.measure_under(operation);
    const std::size_t job = whole.scores[0][muted] > whole.scores[1][muted] ? 0 : 1;
    CHECK(without.groups[job].accuracy < 0.3);
    CHECK(without.groups[1 - job].accuracy > 0.9);
  }
  CHECK(trainer.measure().loss == whole.loss);
  CHECK_THROWS_AS(trainer.measure_under({true, true, {1}}), Error);
}

TEST_CASE("look-up: one head without positions finds the letter", "[training]") {
  ATTNSCOPE_THIRD(1);
  for (const std::uint64_t seed : {0, 1, 2}) {
    const Outcome outcome = run(with_seed(task("look-up").recipe, seed), 300);
    CHECK(outcome.reached_goal);
    CHECK(best(outcome.metrics.scores[0]) > 0.7);
  }
}

TEST_CASE("look-up without 1/√d_k: softmax is all but one-hot and lets little through", "[training]") {
  ATTNSCOPE_THIRD(1);
  Recipe unscaled = task("look-up").control, scaled = unscaled;
  scaled.network.scaled = true;
  const Metrics without = Trainer(unscaled, 2).measure(true), with = Trainer(scaled, 2).measure(true);
  CHECK(without.entropy[0] < 0.5 * with.entropy[0]);
  CHECK(without.score_gradients.median < 0.2 * with.score_gradients.median);
  CHECK(without.score_gradients.vanished > 0.05);
  CHECK(with.score_gradients.vanished < 0.01);
  CHECK(run(unscaled, 100).metrics.groups[0].accuracy < 0.7);
}

TEST_CASE("small induction reaches its goal", "[training]") {
  ATTNSCOPE_LONG_THIRD(0);
  const auto seed = static_cast<std::uint64_t>(GENERATE(0, 1, 2));
  const TaskRow& small = task("small-induction");
  const Outcome outcome = run(with_seed(small.recipe, seed), small.recipe.steps);
  CHECK(outcome.reached_goal);
  CHECK(outcome.metrics.step <= 700);
  const auto& induction = outcome.metrics.scores[0];
  const auto& previous = outcome.metrics.scores[1];
  CHECK(std::max(induction[2], induction[3]) > 0.75);  // heads of the second layer
  CHECK(std::max(previous[0], previous[1]) > 0.7);     // and one of the first
  // Nothing leaks: what is random stays as hard as it is.
  CHECK(outcome.metrics.groups[1].loss > small.floor(small.recipe));
}

TEST_CASE("induction with one layer does not come about", "[training]") {
  ATTNSCOPE_LONG_THIRD(1);
  const Outcome outcome = run(task("small-induction").control, 800);
  CHECK(outcome.metrics.groups[0].accuracy < 0.35);
  CHECK(best(outcome.metrics.scores[0]) < 0.3);
}

TEST_CASE("without the mask the loss crosses the floor, and no head learned induction", "[training]") {
  ATTNSCOPE_LONG_THIRD(1);
  const TaskRow& small = task("small-induction");
  Recipe leaking = small.recipe;
  leaking.network.causal = false;
  leaking.stops_at_goal = false;
  const Outcome outcome = run(leaking, 250);
  CHECK(outcome.metrics.groups[1].loss < 0.5 * small.floor(small.recipe));
  CHECK(best(outcome.metrics.scores[0]) < 0.1);
}

TEST_CASE("a rate that is too high takes all entropy within a hundred steps", "[training]") {
  ATTNSCOPE_LONG_THIRD(2);
  Recipe fast = task("induction").recipe;
  fast.optimiser.rate = 0.1;
  CHECK(run(fast, 0).metrics.entropy[0] > 0.95);
  const Metrics metrics = run(fast, 100).metrics;
  CHECK(best(metrics.entropy) < 0.15);
  CHECK(metrics.loss > 3.2);
}

TEST_CASE("brackets: the row before a closing bracket finds the one that opened", "[training]") {
  ATTNSCOPE_LONG_THIRD(0);
  const Outcome outcome = run(task("brackets").recipe, 400);
  CHECK(outcome.metrics.groups[0].accuracy > 0.97);
  CHECK(best(outcome.metrics.scores[0]) > 0.3);
}

TEST_CASE("brackets with one layer: those far apart are lost", "[training]") {
  ATTNSCOPE_LONG_THIRD(0);
  const Metrics metrics = run(task("brackets").control, 400).metrics;
  CHECK(metrics.groups[0].accuracy > 0.9);
  CHECK(metrics.groups[1].accuracy < 0.85);
}

TEST_CASE("sort: each row looks for the next larger number", "[training]") {
  ATTNSCOPE_LONG_THIRD(0);
  const Outcome outcome = run(task("sort").recipe, 450);
  CHECK(outcome.reached_goal);
  CHECK(best(outcome.metrics.scores[0]) > 0.4);
  CHECK(run(task("sort").control, 300).metrics.groups[0].accuracy < 0.8);
}

TEST_CASE("modular addition: known by heart long before it is understood", "[training]") {
  ATTNSCOPE_LONG_THIRD(2);
  const Metrics metrics = run(task("modular-addition").recipe, 200).metrics;
  CHECK(metrics.groups[1].accuracy > 0.99);
  CHECK(metrics.groups[0].accuracy < 0.5);
  CHECK(metrics.groups[0].loss > 2.5);
}

TEST_CASE("shapes: what the class token cannot see it cannot name", "[training]") {
  ATTNSCOPE_LONG_THIRD(1);
  const Metrics metrics = run(task("shapes").recipe, 300).metrics;
  CHECK(metrics.groups[0].accuracy > 0.6);
  CHECK(run(task("shapes").control, 60).metrics.groups[0].accuracy < 0.4);
}

TEST_CASE("reader: under a causal mask \"it\" is guessed, and what stands before is not", "[training]") {
  // Either takes as long as all other tasks together.
  const auto [key, steps, third] = GENERATE(std::tuple("reader", 250, 2), std::tuple("small-reader", 400, 0));
  ATTNSCOPE_LONG_THIRD(third);
  CAPTURE(key);
  Recipe sees = task(key).recipe, blind = task(key).control;
  sees.steps = blind.steps = steps;  // the rate falls within them
  const Metrics with = run(sees, steps).metrics, without = run(blind, steps).metrics;
  enum Group { It, Verbs, Pronouns, Bank };
  CHECK(with.groups[It].accuracy > 0.85);
  CHECK(without.groups[It].accuracy < 0.65);  // two nouns, between which nothing before it decides
  for (const Group group : {Verbs, Pronouns, Bank}) {
    CAPTURE(group);
    CHECK(without.groups[group].accuracy > 0.85);
  }
}

TEST_CASE("Millbrook with one layer: many repeats are lost, and no head looks behind the same word",
          "[training]") {
  ATTNSCOPE_LONG_THIRD(1);
  // In all its 2,600 steps it gets 55 % of them. What the shipped model of two layers copies, which is more
  // than 90 %, says shipped_models_test.cpp.
  Recipe one_layer = task("millbrook").control;
  one_layer.steps = 1200;
  const Metrics metrics = run(one_layer, 1200).metrics;
  enum Group { Repeated, Every, Agreement };
  CHECK(metrics.groups[Repeated].accuracy < 0.65);
  CHECK(best(metrics.scores[2]) < 0.4);  // induction
  CHECK(metrics.groups[Agreement].accuracy > 0.9);
}

TEST_CASE("measurements say where they come from", "[training]") {
  Trainer trainer(task("small-induction").recipe, 2);
  const Metrics before = trainer.measure(true);
  CHECK(before.step == 0);
  CHECK(before.gradient_norm == 0);
  for (const double entropy : before.entropy) CHECK((entropy > 0.9 && entropy <= 1));
  for (const ProjectionNorms& norms : before.gradients) CHECK(norms.query == 0);
  CHECK(before.score_gradients.median > 0);
  trainer.train(3);
  const Metrics after = trainer.measure();
  CHECK(after.step == 3);
  double squares = 0;
  for (const ProjectionNorms& norms : after.gradients) {
    CHECK(norms.up == 0);
    squares += norms.query * norms.query + norms.key * norms.key + norms.value * norms.value +
               norms.output * norms.output;
  }
  CHECK(squares > 0);
  CHECK(squares <= after.gradient_norm * after.gradient_norm);
  CHECK(after.batch_loss > 3);
}

}  // namespace attnscope::training::tasks_test
