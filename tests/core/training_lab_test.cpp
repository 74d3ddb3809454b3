// The lab behind the window: what it publishes is what a Trainer by itself gives, to the bit; branches, going
// back, knobs that are turned while it trains, names of heads, the wall of seeds.
#include <catch2/catch_test_macros.hpp>

#include "core/training/lab/lab.hpp"
#include "core/training/lab/seed_wall.hpp"

namespace attnscope::training_lab_test {
namespace {

using namespace attnscope::training;
using Recipe = attnscope::training::Recipe;

Recipe two_jobs(std::uint64_t seed = 0, int steps = 100) {
  Recipe recipe = find_task("two-jobs")->recipe;
  recipe.seed = seed;
  recipe.steps = steps;
  recipe.measured_sequences = 16;
  recipe.stops_at_goal = false;
  return recipe;
}

Snapshot trained_alone(const Recipe& recipe, int steps) {
  Trainer trainer(recipe, 1);
  trainer.train(steps);
  return trainer.snapshot();
}

const Snapshot& kept(const LabRun& run, std::int64_t step) {
  const LabMoment* const moment = run.kept_at(step);
  REQUIRE(moment != nullptr);
  REQUIRE(moment->step == step);
  return *moment->snapshot;
}

}  // namespace

TEST_CASE("the lab trains as a trainer by itself does, and measures on the way", "[training][lab]") {
  const Recipe recipe = two_jobs();
  Lab lab({}, 2);
  lab.begin(recipe);
  lab.train(40);
  lab.train_on();
  lab.wait();
  const LabSight sight = lab.sight();
  CHECK(sight.problem.empty());
  REQUIRE(sight.runs.size() == 1);
  const LabRun& run = *sight.run();
  CHECK(run.step == 100);
  CHECK(run.is_at_end);
  REQUIRE(run.points.size() == 5);  // 0, 25, 50, 75, 100
  for (std::size_t i = 0; i < run.points.size(); ++i) {
    CHECK(run.points[i]->metrics.step == static_cast<std::int64_t>(25 * i));
    CHECK(run.points[i]->cost.size() == 2);
    CHECK(run.moments[i]->step == run.points[i]->metrics.step);
  }
  CHECK(kept(run, 50) == trained_alone(recipe, 50));
  CHECK(kept(run, 100) == trained_alone(recipe, 100));
  // Measured as a trainer measures.
  Trainer alone(recipe, 1);
  alone.train(75);
  const Metrics metrics = alone.measure();
  CHECK(run.points[3]->metrics.loss == metrics.loss);
  CHECK(run.points[3]->metrics.entropy == metrics.entropy);
  const Probe probe = alone.probe_measured(0);
  for (std::int64_t i = 0; i < probe.weights.size(); ++i)
    CHECK(run.moments[3]->probe.weights.data()[i] == probe.weights.data()[i]);
  REQUIRE(!sight.tokens.empty());
  CHECK(std::ssize(sight.tokens) == recipe.network.length);
}

TEST_CASE("muting a head costs what a trainer with that head muted loses", "[training][lab]") {
  const Recipe recipe = two_jobs();
  Trainer trainer(recipe, 1);
  trainer.train(100);
  const Metrics now = trainer.measure();
  const std::vector<double> costs = muting_costs(trainer, now);
  REQUIRE(costs.size() == 2);
  const auto goal = static_cast<std::size_t>(trainer.task().goal_group);
  for (std::size_t head = 0; head < 2; ++head) {
    Knobs muted = trainer.knobs();
    muted.operation.muted = {0, 0};
    muted.operation.muted[head] = 1;
    Trainer other(recipe, 1);
    other.restore(trainer.snapshot());
    other.set_knobs(muted);
    CHECK(costs[head] == now.groups[goal].accuracy - other.measure().groups[goal].accuracy);
  }
  CHECK(trainer.knobs().operation.muted.empty());
  CHECK(muting_costs(trainer, now, 1).empty());  // more heads than that are not muted one by one
}

TEST_CASE("a head has a name where its score and what it costs bear it", "[training][lab]") {
  LabPoint point;
  point.metrics.scores = {{0.6, 0.9, 0.49}, {0.7, 0.1, 0.2}};
  point.cost = {0.2, 0.04, 0.5};
  CHECK(job_of_head(point, 0) == 1);   // the larger of the two
  CHECK(job_of_head(point, 1) == -1);  // the task does without it
  CHECK(job_of_head(point, 2) == -1);  // no weight on anything
  point.cost.clear();
  CHECK(job_of_head(point, 0) == -1);  // not measured
}

TEST_CASE("a branch with the same knobs has the bits of its parent, with others not", "[training][lab]") {
  const Recipe recipe = two_jobs();
  Lab lab({}, 1);
  lab.begin(recipe);
  lab.train_on();
  lab.wait();
  lab.branch(60);  // the kept state before it is that of step 50
  lab.train_on();
  lab.wait();
  LabSight sight = lab.sight();
  REQUIRE(sight.runs.size() == 2);
  CHECK(sight.active == 1);
  CHECK(sight.runs[1]->parent == 0);
  CHECK(sight.runs[1]->branch == 50);
  CHECK(sight.runs[1]->step == 100);
  CHECK(kept(*sight.runs[1], 100) == kept(*sight.runs[0], 100));
  CHECK(sight.runs[1]->points.size() == sight.runs[0]->points.size());
  CHECK(sight.runs[1]->points[4]->metrics.loss == sight.runs[0]->points[4]->metrics.loss);

  lab.choose(0);
  lab.branch(50);
  Knobs knobs = sight.runs[0]->knobs;
  knobs.operation.scaled = false;
  lab.set_knobs(knobs);
  lab.train(25);
  lab.wait();
  sight = lab.sight();
  REQUIRE(sight.runs.size() == 3);
  const LabRun& other = *sight.runs[2];
  CHECK(other.branch == 50);
  CHECK(other.knobs == knobs);
  CHECK_FALSE(kept(other, 75).weights == kept(*sight.runs[0], 75).weights);
  // As a trainer gives it whose knob is turned there.
  Trainer alone(recipe, 1);
  alone.train(50);
  alone.set_knobs(knobs);
  alone.train(25);
  CHECK(kept(other, 75) == alone.snapshot());
}

TEST_CASE("a run that was left goes on where it was", "[training][lab]") {
  const Recipe recipe = two_jobs();
  Lab lab({}, 1);
  lab.begin(recipe);
  lab.train(60);
  lab.wait();
  CHECK(lab.sight().run()->step == 60);
  lab.branch(25);
  lab.train(10);
  lab.wait();
  CHECK(lab.sight().run()->step == 35);
  lab.choose(0);
  lab.train_on();
  lab.wait();
  const LabSight sight = lab.sight();
  CHECK(sight.active == 0);
  CHECK(kept(*sight.runs[0], 100) == trained_alone(recipe, 100));
  CHECK(sight.runs[1]->step == 35);
}

TEST_CASE("training stops soon, and what cannot be trained is said", "[training][lab]") {
  Recipe recipe = two_jobs(0, 100'000);
  Lab lab({}, 1);
  lab.begin(recipe);
  lab.train_on();
  lab.stop();
  lab.wait();
  CHECK(lab.sight().run()->step < 100'000);
  recipe.network.heads = 3;  // of width 32
  lab.begin(recipe);
  lab.wait();
  CHECK_FALSE(lab.sight().problem.empty());
  CHECK(lab.sight().run() == nullptr);
  lab.begin(two_jobs(1, 25));
  lab.train_on();
  lab.wait();
  CHECK(lab.sight().problem.empty());
  CHECK(lab.sight().run()->is_at_end);
}

TEST_CASE("no more branches than there is room for", "[training][lab]") {
  Lab lab({}, 1);
  lab.begin(two_jobs(0, 25));
  for (int i = 1; i < most_runs + 2; ++i) lab.branch(0);
  lab.wait();
  CHECK(std::ssize(lab.sight().runs) == most_runs);
  CHECK_FALSE(lab.sight().problem.empty());
}

TEST_CASE("the wall runs seed after seed, each as a trainer by itself", "[training][lab]") {
  Recipe recipe = two_jobs(0, 200);
  SeedWall wall({}, 1);
  wall.begin(recipe, 3);
  wall.wait();
  const WallSight sight = wall.sight();
  CHECK(sight.problem.empty());
  REQUIRE(sight.runs.size() == 3);
  CHECK(sight.done() == 3);
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    CAPTURE(seed);
    const WallRun& run = *sight.runs[seed];
    CHECK(run.seed == seed);
    recipe.seed = seed;
    Trainer alone(recipe, 1);
    const auto goal = static_cast<std::size_t>(alone.task().goal_group);
    REQUIRE(run.curve.size() == 9);
    for (const WallRun::At& at : run.curve) {
      alone.train(static_cast<int>(at.step - alone.step()));
      CHECK(at.accuracy == alone.measure().groups[goal].accuracy);
    }
    LabPoint point;
    point.metrics = alone.measure();
    point.cost = muting_costs(alone, point.metrics);
    REQUIRE(run.jobs.size() == 2);
    for (std::size_t head = 0; head < 2; ++head) CHECK(run.jobs[head] == job_of_head(point, head));
  }
  // More of the same: what is done stays. Less: so many of them.
  recipe.seed = 0;
  wall.begin(recipe, 4);
  CHECK(wall.sight().done() == 3);
  wall.wait();
  CHECK(wall.sight().done() == 4);
  for (std::size_t i = 0; i < 3; ++i) CHECK(wall.sight().runs[i] == sight.runs[i]);
  CHECK(wall.sight().runs[3]->seed == 3);
  wall.begin(recipe, 2);
  wall.wait();
  CHECK(wall.sight().runs.size() == 2);
  // Another recipe: none of them.
  recipe.seed = 1;
  wall.begin(recipe, 1000);
  CHECK(wall.sight().runs.empty());
  wall.stop();
  wall.wait();
  CHECK(wall.sight().done() < 1000);
  CHECK(wall.sight().stopped);
}

}  // namespace attnscope::training_lab_test
