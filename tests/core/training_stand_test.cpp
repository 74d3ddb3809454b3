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

ShownLab stood(Lab& lab, const LabStand& stand) {
  const std::uint64_t number = lab.stand(stand);
  lab.wait();
  ShownLab shown = lab.shown_lab();
  CHECK(shown.problem.empty());
  CHECK(shown.stand == number);
  CHECK(shown.stood == number);
  return shown;
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
    const ShownLab shown = stood(lab, stand);
    REQUIRE(shown.runs.size() == (stand.branch ? 2 : 1));
    const LabRun& a = *shown.runs[0];
    CHECK(a.step == stand.steps);
    CHECK(a.points.size() == static_cast<std::size_t>(stand.steps / 25 + 1));
    CHECK(a.points.back()->metrics.step == stand.steps);
    CHECK(last_of(a) == alone(recipe, static_cast<int>(stand.steps)));
    if (!stand.branch) continue;
    const LabRun& b = *shown.runs[1];
    CHECK((b.parent == 0 && b.branch == 25 && b.step == 100 && b.knobs == knobs));
    CHECK(last_of(b) == alone(recipe, 25, &knobs, 75));
    CHECK(shown.active == 1);
  }
}

TEST_CASE("what was turned or trained in between is not what a lab stands on", "[training][stand]") {
  const Recipe recipe = two_jobs();
  Lab lab({}, 1);
  stood(lab, {recipe, 50, {}});
  lab.set_knobs(unmasked(recipe));  // of the first run
  lab.train(50);
  lab.wait();
  ShownLab shown = stood(lab, {recipe, 100, {}});
  CHECK(last_of(*shown.runs[0]) == alone(recipe, 100));
  CHECK(shown.runs[0]->knobs == usual_knobs(recipe));
  // A knob that was turned before the first step.
  stood(lab, {recipe, 0, {}});
  lab.set_knobs(unmasked(recipe));
  lab.train(25);
  lab.wait();
  shown = stood(lab, {recipe, 25, {}});
  CHECK(last_of(*shown.runs[0]) == alone(recipe, 25));
  // Another recipe in between, and a step that is not measured.
  stood(lab, {two_jobs(1), 25, {}});
  lab.train(7);
  lab.wait();
  shown = stood(lab, {recipe, 50, {}});
  CHECK(shown.recipe->seed == 0);
  CHECK(last_of(*shown.runs[0]) == alone(recipe, 50));
  shown = stood(lab, {two_jobs(1), 50, {}});
  CHECK(last_of(*shown.runs[0]) == alone(two_jobs(1), 50));
}

TEST_CASE("a lab is put back to what it was, each run at its last step", "[training][stand]") {
  const Recipe recipe = two_jobs();
  const Knobs knobs = unmasked(recipe);
  Lab lab({}, 1);
  stood(lab, {recipe, 50, LabStand::Branch{25, knobs, 50}});
  lab.train(10);  // the branch, up to a step that is not measured
  lab.wait();
  const ShownLab left = lab.shown_lab();
  REQUIRE(left.runs[1]->step == 60);
  lab.begin(two_jobs(3));
  lab.train(30);
  lab.wait();
  lab.put_back(left);
  lab.wait();
  ShownLab shown = lab.shown_lab();
  CHECK(shown.runs == left.runs);
  CHECK(shown.active == left.active);
  CHECK(*shown.recipe == *left.recipe);
  lab.train(40);
  lab.wait();
  lab.choose(0);
  lab.train(25);
  lab.wait();
  shown = lab.shown_lab();
  CHECK(last_of(*shown.runs[1]) == alone(recipe, 25, &knobs, 75));
  CHECK(last_of(*shown.runs[0]) == alone(recipe, 75));
}

TEST_CASE("two turns of knobs in a row are both kept", "[training][stand]") {
  Lab lab({}, 1);
  stood(lab, {two_jobs(), 25, {}});
  lab.turn_knobs([](Knobs& knobs) { knobs.operation.causal = false; });
  lab.turn_knobs([](Knobs& knobs) { knobs.rate_factor = 3; });
  lab.wait();
  const ShownLab shown = lab.shown_lab();
  CHECK_FALSE(shown.run()->knobs.operation.causal);
  CHECK(shown.run()->knobs.rate_factor == 3);
  CHECK(shown.run()->knobs == shown.run()->changes.back().knobs);
}

TEST_CASE("a stand that cannot be trained says why and is over", "[training][stand]") {
  Recipe recipe = two_jobs();
  recipe.network.vocabulary = 3;
  Lab lab({}, 1);
  const std::uint64_t number = lab.stand({recipe, 25, {}});
  lab.wait();
  CHECK_FALSE(lab.shown_lab().problem.empty());
  CHECK(lab.shown_lab().stood == number);
  CHECK(stood(lab, {two_jobs(), 25, {}}).runs.size() == 1);
}

}  // namespace attnscope::training_stand_test
