// Where a lab is told to stand: the same bits as a trainer by itself, whatever was trained before; and what
// it was put back to goes on as if nothing had been in between.
#include <catch2/catch_test_macros.hpp>

#include "core/training/lab/lab.hpp"

namespace attnscope::training_stand_test {
namespace {

using namespace attnscope::training;
using Recipe = attnscope::training::Recipe;

Recipe two_jobs(std::uint64_t seed = 0) {
  Recipe recipe = find_task("two-jobs")->recipe;
  recipe.seed = seed;
  recipe.steps = 200;
  recipe.measured_sequences = 16;
  recipe.stops_at_goal = false;
  return recipe;
}

Knobs unmasked(const Recipe& recipe) {
  Knobs knobs = usual_knobs(recipe);
  knobs.operation.causal = false;
  return knobs;
}

/// By hand: so many steps, then others with other knobs.
Snapshot alone(const Recipe& recipe, int steps, const Knobs* knobs = nullptr, int more = 0) {
  Trainer trainer(recipe, 1);
  trainer.train(steps);
  if (knobs != nullptr) trainer.set_knobs(*knobs);
  trainer.train(more);
  return trainer.snapshot();
}

const Snapshot& last_of(const LabRun& run) {
  REQUIRE(run.kept_at(run.step) != nullptr);
  REQUIRE(run.kept_at(run.step)->step == run.step);
  return *run.kept_at(run.step)->snapshot;
}

LabSight stood(Lab& lab, const LabStand& stand) {
  const std::uint64_t number = lab.stand(stand);
  lab.wait();
  LabSight sight = lab.sight();
  CHECK(sight.problem.empty());
  CHECK(sight.stand == number);
  CHECK(sight.stood == number);
  return sight;
}

}  // namespace

TEST_CASE("a lab stands where it is told, forward, back and in a branch", "[training][stand]") {
  const Recipe recipe = two_jobs();
  const Knobs knobs = unmasked(recipe);
  Lab lab({}, 1);
  const LabStand late{recipe, 100, {}}, early{recipe, 50, {}}, start{recipe, 0, {}},
      branched{recipe, 75, LabStand::Branch{25, knobs, 100}};
  for (const LabStand& stand : {start, late, early, branched, late, start, branched}) {
    INFO(stand.steps << (stand.branch ? " with a branch" : ""));
    const LabSight sight = stood(lab, stand);
    REQUIRE(sight.runs.size() == (stand.branch ? 2 : 1));
    const LabRun& a = *sight.runs[0];
    CHECK(a.step == stand.steps);
    CHECK(a.points.size() == static_cast<std::size_t>(stand.steps / 25 + 1));
    CHECK(a.points.back()->metrics.step == stand.steps);
    CHECK(last_of(a) == alone(recipe, static_cast<int>(stand.steps)));
    if (!stand.branch) continue;
    const LabRun& b = *sight.runs[1];
    CHECK((b.parent == 0 && b.branch == 25 && b.step == 100 && b.knobs == knobs));
    CHECK(last_of(b) == alone(recipe, 25, &knobs, 75));
    CHECK(sight.active == 1);
  }
}

TEST_CASE("what was turned or trained in between is not what a lab stands on", "[training][stand]") {
  const Recipe recipe = two_jobs();
  Lab lab({}, 1);
  stood(lab, {recipe, 50, {}});
  lab.set_knobs(unmasked(recipe));  // of the first run
  lab.train(50);
  lab.wait();
  LabSight sight = stood(lab, {recipe, 100, {}});
  CHECK(last_of(*sight.runs[0]) == alone(recipe, 100));
  CHECK(sight.runs[0]->knobs == usual_knobs(recipe));
  // A knob that was turned before the first step.
  stood(lab, {recipe, 0, {}});
  lab.set_knobs(unmasked(recipe));
  lab.train(25);
  lab.wait();
  sight = stood(lab, {recipe, 25, {}});
  CHECK(last_of(*sight.runs[0]) == alone(recipe, 25));
  // Another recipe in between, and a step that is not measured.
  stood(lab, {two_jobs(1), 25, {}});
  lab.train(7);
  lab.wait();
  sight = stood(lab, {recipe, 50, {}});
  CHECK(sight.recipe->seed == 0);
  CHECK(last_of(*sight.runs[0]) == alone(recipe, 50));
  sight = stood(lab, {two_jobs(1), 50, {}});
  CHECK(last_of(*sight.runs[0]) == alone(two_jobs(1), 50));
}

TEST_CASE("a lab is put back to what it was, each run at its last step", "[training][stand]") {
  const Recipe recipe = two_jobs();
  const Knobs knobs = unmasked(recipe);
  Lab lab({}, 1);
  stood(lab, {recipe, 50, LabStand::Branch{25, knobs, 50}});
  lab.train(10);  // the branch, up to a step that is not measured
  lab.wait();
  const LabSight left = lab.sight();
  REQUIRE(left.runs[1]->step == 60);
  lab.begin(two_jobs(3));
  lab.train(30);
  lab.wait();
  lab.put_back(left);
  lab.wait();
  LabSight sight = lab.sight();
  CHECK(sight.runs == left.runs);
  CHECK(sight.active == left.active);
  CHECK(*sight.recipe == *left.recipe);
  lab.train(40);
  lab.wait();
  lab.choose(0);
  lab.train(25);
  lab.wait();
  sight = lab.sight();
  CHECK(last_of(*sight.runs[1]) == alone(recipe, 25, &knobs, 75));
  CHECK(last_of(*sight.runs[0]) == alone(recipe, 75));
}

TEST_CASE("two turns of knobs in a row are both kept", "[training][stand]") {
  Lab lab({}, 1);
  stood(lab, {two_jobs(), 25, {}});
  lab.turn_knobs([](Knobs& knobs) { knobs.operation.causal = false; });
  lab.turn_knobs([](Knobs& knobs) { knobs.rate_factor = 3; });
  lab.wait();
  const LabSight sight = lab.sight();
  CHECK_FALSE(sight.run()->knobs.operation.causal);
  CHECK(sight.run()->knobs.rate_factor == 3);
  CHECK(sight.run()->knobs == sight.run()->changes.back().knobs);
}

TEST_CASE("a stand that cannot be trained says why and is over", "[training][stand]") {
  Recipe recipe = two_jobs();
  recipe.network.vocabulary = 3;
  Lab lab({}, 1);
  const std::uint64_t number = lab.stand({recipe, 25, {}});
  lab.wait();
  CHECK_FALSE(lab.sight().problem.empty());
  CHECK(lab.sight().stood == number);
  CHECK(stood(lab, {two_jobs(), 25, {}}).runs.size() == 1);
}

}  // namespace attnscope::training_stand_test
