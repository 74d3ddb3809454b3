// The lab behind the window: what it publishes is what a Trainer by itself gives, to the bit; branches, going
// back, knobs that are turned while it trains, names of heads, the wall of seeds.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "core/training/files/training_run.hpp"
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

TEST_CASE("an answer as likely as its rival is not right", "[training]") {
  Recipe recipe = find_task("brackets")->recipe;
  recipe.measured_sequences = 16;
  Trainer trainer(recipe, 1);
  Snapshot even = trainer.snapshot();
  std::ranges::fill(even.weights, 0.f);  // all logits are 0
  trainer.restore(even);
  const Metrics metrics = trainer.measure();
  const Notes& notes = trainer.evaluation().notes(0);
  int seen = 0;
  for (const Notes::Row& row : notes.rows()) {
    if (notes.rivals(row).empty()) continue;
    ++seen;
    CHECK(metrics.groups[static_cast<std::size_t>(row.group)].accuracy == 0);
  }
  CHECK(seen > 0);
}

TEST_CASE("the lab trains as a trainer by itself does, and measures on the way", "[training][lab]") {
  const Recipe recipe = two_jobs();
  Lab lab({}, 2);
  lab.begin(recipe);
  lab.train(40);
  lab.train_on();
  lab.wait();
  const ShownLab shown = lab.shown_lab();
  CHECK(shown.problem.empty());
  REQUIRE(shown.runs.size() == 1);
  const LabRun& run = *shown.run();
  CHECK(run.step == 100);
  CHECK(run.is_at_end);
  REQUIRE(run.points.size() == 5);  // 0, 25, 50, 75, 100
  for (std::size_t i = 0; i < run.points.size(); ++i) {
    CHECK(run.points[i]->metrics.step == static_cast<std::int64_t>(25 * i));
    REQUIRE(run.points[i]->costs.size() == 2);  // read-outs
    CHECK(run.points[i]->costs[0].size() == 2);
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
  REQUIRE(!shown.tokens.empty());
  CHECK(std::ssize(shown.tokens) == recipe.network.length);
}

TEST_CASE("muting a head costs what a trainer with that head muted loses", "[training][lab]") {
  const Recipe recipe = two_jobs();
  Trainer trainer(recipe, 1);
  trainer.train(100);
  const Metrics now = trainer.measure();
  const std::vector<std::vector<double>> costs = muting_costs(trainer, now);
  REQUIRE((costs.size() == 2 && costs[0].size() == 2));
  for (std::size_t head = 0; head < 2; ++head) {
    Knobs muted = trainer.knobs();
    muted.operation.muted = {0, 0};
    muted.operation.muted[head] = 1;
    Trainer other(recipe, 1);
    other.restore(trainer.snapshot());
    other.set_knobs(muted);
    const Metrics without = other.measure();
    for (std::size_t group = 0; group < 2; ++group)
      CHECK(costs[group][head] == now.groups[group].accuracy - without.groups[group].accuracy);
  }
  CHECK(trainer.knobs().operation.muted.empty());
  CHECK(muting_costs(trainer, now, 1).empty());  // more heads than that are not muted one by one
}

namespace {

/// Of the task two-jobs, whose scores are each about a group of its own: scores and costs by hand.
LabPoint two_jobs_point(std::vector<std::vector<double>> scores, std::vector<std::vector<double>> costs) {
  LabPoint point;
  point.metrics.even_scores = {0.1, 0.2};
  point.metrics.scores = std::move(scores);
  point.costs = std::move(costs);
  return point;
}
HeadJob job(const LabPoint& point, std::size_t head) {
  return job_of_head(*find_task("two-jobs"), point, head);
}

}  // namespace

TEST_CASE("a head is named after its score, and what it costs is a word of its own", "[training][lab]") {
  // One head for each job: muting costs on the read-out that the job is for, and on no other one.
  const LabPoint divided = two_jobs_point({{0.9, 0.1}, {0.05, 0.95}}, {{0.6, 0.0}, {0.0, 0.8}});
  CHECK(job(divided, 0) == HeadJob{0, 0.9, 0.1, 0, 0.6, Need::Needed});
  CHECK(job(divided, 1) == HeadJob{1, 0.95, 0.2, 1, 0.8, Need::Needed});
  // Two that do the same cost little each: they are no less what they are.
  const LabPoint redundant = two_jobs_point({{0.93, 0.9}, {0, 0}}, {{0.01, 0.02}, {0, 0}});
  CHECK(job(redundant, 0) == HeadJob{0, 0.93, 0.1, 0, 0.01, Need::Shared});
  CHECK(job(redundant, 1).need == Need::Shared);
  // One alone that costs little.
  CHECK(job(two_jobs_point({{0.93, 0.3}, {0, 0}}, {{0.01, 0.02}, {0, 0}}), 0).need == Need::Spare);
  // Needed for something that no score tells of.
  const LabPoint unnamed = two_jobs_point({{0.3, 0.9}, {0.3, 0.1}}, {{0.1, 0.5}, {0.4, 0}});
  CHECK(job(unnamed, 0) == HeadJob{-1, 0, 0, 1, 0.4, Need::Needed});
  CHECK(job(two_jobs_point({{0.3}, {0.3}}, {{0.01}, {0}}), 0).need == Need::Unknown);
  // Without costs the name stays.
  const LabPoint unmeasured = two_jobs_point({{0.93, 0.9}, {0, 0}}, {});
  CHECK((job(unmeasured, 0).score == 0 && job(unmeasured, 0).need == Need::Unknown));
  CHECK(largest_cost(*find_task("two-jobs"), unnamed, 0) == 0.4);
  CHECK(std::isnan(largest_cost(*find_task("two-jobs"), unmeasured, 0)));
}

TEST_CASE("a name asks for more where even weights give more", "[training][lab]") {
  CHECK(least_score(0.1) == 0.55);
  LabPoint point = two_jobs_point({{0.7, 0.54}, {0, 0.61}}, {});
  CHECK(job(point, 0).score == 0);
  CHECK(job(point, 1).score == 1);  // .54 is below .55, .61 above .60
  point.metrics.even_scores = {0.5, 0.2};
  CHECK(job(point, 0).score == -1);
}

TEST_CASE("a head that a knob mutes is neither spare nor another's double", "[training][lab]") {
  LabPoint point = two_jobs_point({{0.93, 0.9}, {0, 0}}, {{0, 0.02}, {0, 0}});
  point.muted = {1, 0};
  CHECK(job(point, 0).need == Need::Muted);
  CHECK(job(point, 1).need == Need::Spare);
}

TEST_CASE("the baseline of a score is what even weights would give", "[training][lab]") {
  const Recipe recipe = two_jobs();
  Trainer trainer(recipe, 1);
  const int n = recipe.network.length;
  double causal = 0;
  for (int i = 1; i < n; ++i) causal += 1.0 / (i + 1) / (n - 1);
  const Metrics metrics = trainer.measure();
  REQUIRE(metrics.even_scores.size() == 2);
  CHECK(metrics.even_scores[0] == Catch::Approx(causal));
  CHECK(metrics.even_scores[1] == Catch::Approx(causal));
  Operation open = trainer.knobs().operation;
  open.causal = false;
  CHECK(trainer.measure_under(open).even_scores[0] == Catch::Approx(1.0 / n));
}

TEST_CASE("the wall counts scores and needs, and calls only needed heads divided work", "[training][lab]") {
  const auto run = [](std::vector<HeadJob> jobs) {
    WallRun made;
    made.jobs = std::move(jobs);
    return std::make_shared<const WallRun>(std::move(made));
  };
  const HeadJob previous{0, 0.9, 0.1, 0, 0.6, Need::Needed}, first{1, 0.9, 0.1, 1, 0.7, Need::Needed},
      shared{0, 0.9, 0.1, 0, 0.01, Need::Shared}, none{};
  ShownWall wall;
  wall.runs = {run({previous, first}), run({shared, shared}), run({none, first}), run({})};
  CHECK(wall.done() == 3);
  CHECK(count_job(wall, 0) == JobCount{2, 1, 1});
  CHECK(count_job(wall, 1) == JobCount{2, 0, 2});
  CHECK(count_work(wall) == WorkCount{1, 1});
}

TEST_CASE("where a branch begins, what its knobs do at once is measured", "[training][lab]") {
  const Recipe recipe = two_jobs();
  Lab lab({}, 1);
  lab.begin(recipe);
  lab.train_on();
  lab.wait();
  lab.branch(50);
  lab.turn_knobs([](Knobs& knobs) { knobs.rate_factor = 2; });  // at once that does nothing
  lab.wait();
  CHECK(lab.shown_lab().run()->points.size() == 3);
  const auto mute = [&lab](std::uint8_t muted) {
    lab.turn_knobs([muted](Knobs& knobs) { knobs.operation.muted = {muted, 0}; });
    lab.wait();
    return lab.shown_lab();
  };
  ShownLab shown = mute(1);
  const LabRun& cut = *shown.run();
  REQUIRE(cut.points.size() == 4);
  REQUIRE(cut.moments.size() == 4);
  CHECK((cut.points[2]->metrics.step == 50 && cut.points[3]->metrics.step == 50));
  CHECK(cut.points[3]->muted == std::vector<std::uint8_t>{1, 0});
  Trainer alone(recipe, 1);
  alone.train(50);
  CHECK(cut.points[2]->metrics.groups[0].accuracy == alone.measure().groups[0].accuracy);
  Knobs knobs = alone.knobs();
  knobs.operation.muted = {1, 0};
  alone.set_knobs(knobs);
  CHECK(cut.point_at(50)->metrics.groups[0].accuracy == alone.measure().groups[0].accuracy);
  CHECK(mute(1).run()->points.size() == 4);
  lab.turn_knobs([](Knobs& all) { all.operation.muted.clear(); });  // taken back
  lab.wait();
  CHECK(lab.shown_lab().run()->points.size() == 3);
  shown = mute(1);
  lab.train(25);
  lab.wait();
  knobs.rate_factor = 2;
  alone.set_knobs(knobs);
  alone.train(25);
  CHECK(kept(*lab.shown_lab().run(), 75) == alone.snapshot());
}

TEST_CASE("columns of a log count layers and heads from 0", "[training][lab]") {
  const Trainer trainer(find_task("small-induction")->recipe, 1);
  const std::string head = log_header(trainer);
  for (const char* column : {",entropy 0.0,", ",entropy 1.1,", ",previous 0.1,", ",gradient of query 0,"})
    CHECK(head.find(column) != std::string::npos);
  CHECK(head.find("2") == std::string::npos);
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
  ShownLab shown = lab.shown_lab();
  REQUIRE(shown.runs.size() == 2);
  CHECK(shown.active == 1);
  CHECK(shown.runs[1]->parent == 0);
  CHECK(shown.runs[1]->branch == 50);
  CHECK(shown.runs[1]->step == 100);
  CHECK(kept(*shown.runs[1], 100) == kept(*shown.runs[0], 100));
  CHECK(shown.runs[1]->points.size() == shown.runs[0]->points.size());
  CHECK(shown.runs[1]->points[4]->metrics.loss == shown.runs[0]->points[4]->metrics.loss);

  lab.choose(0);
  lab.branch(50);
  Knobs knobs = shown.runs[0]->knobs;
  knobs.operation.scaled = false;
  lab.set_knobs(knobs);
  lab.train(25);
  lab.wait();
  shown = lab.shown_lab();
  REQUIRE(shown.runs.size() == 3);
  const LabRun& other = *shown.runs[2];
  CHECK(other.branch == 50);
  CHECK(other.knobs == knobs);
  CHECK_FALSE(kept(other, 75).weights == kept(*shown.runs[0], 75).weights);
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
  CHECK(lab.shown_lab().run()->step == 60);
  lab.branch(25);
  lab.train(10);
  lab.wait();
  CHECK(lab.shown_lab().run()->step == 35);
  lab.choose(0);
  lab.train_on();
  lab.wait();
  const ShownLab shown = lab.shown_lab();
  CHECK(shown.active == 0);
  CHECK(kept(*shown.runs[0], 100) == trained_alone(recipe, 100));
  CHECK(shown.runs[1]->step == 35);
}

TEST_CASE("training stops soon, and what cannot be trained is said", "[training][lab]") {
  Recipe recipe = two_jobs(0, 100'000);
  Lab lab({}, 1);
  lab.begin(recipe);
  lab.train_on();
  lab.stop();
  lab.wait();
  CHECK(lab.shown_lab().run()->step < 100'000);
  recipe.network.heads = 3;  // of width 32
  lab.begin(recipe);
  lab.wait();
  CHECK_FALSE(lab.shown_lab().problem.empty());
  CHECK(lab.shown_lab().run() == nullptr);
  lab.begin(two_jobs(1, 25));
  lab.train_on();
  lab.wait();
  CHECK(lab.shown_lab().problem.empty());
  CHECK(lab.shown_lab().run()->is_at_end);
}

TEST_CASE("no more branches than there is room for", "[training][lab]") {
  Lab lab({}, 1);
  lab.begin(two_jobs(0, 25));
  for (int i = 1; i < most_runs + 2; ++i) lab.branch(0);
  lab.wait();
  CHECK(std::ssize(lab.shown_lab().runs) == most_runs);
  CHECK_FALSE(lab.shown_lab().problem.empty());
}

TEST_CASE("the wall runs seed after seed, each as a trainer by itself", "[training][lab]") {
  Recipe recipe = two_jobs(0, 200);
  SeedWall wall({}, 1);
  wall.begin(recipe, 3);
  wall.wait();
  const ShownWall shown = wall.shown_wall();
  CHECK(shown.problem.empty());
  REQUIRE(shown.runs.size() == 3);
  CHECK(shown.done() == 3);
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    CAPTURE(seed);
    const WallRun& run = *shown.runs[seed];
    CHECK(run.seed == seed);
    recipe.seed = seed;
    Trainer alone(recipe, 1);
    const auto goal = static_cast<std::size_t>(alone.task().goal_group);
    REQUIRE(run.curve.size() == 9);
    for (const WallRun::At& at : run.curve) {
      alone.train(static_cast<int>(at.step - alone.step()));
      CHECK(at.accuracy == alone.measure().groups[goal].accuracy);
    }
    const LabPoint point = lab_point(alone, false);
    REQUIRE(run.jobs.size() == 2);
    for (std::size_t head = 0; head < 2; ++head)
      CHECK(run.jobs[head] == job_of_head(alone.task(), point, head));
  }
  // More of the same: what is done stays. Less: so many of them.
  recipe.seed = 0;
  wall.begin(recipe, 4);
  CHECK(wall.shown_wall().done() == 3);
  wall.wait();
  CHECK(wall.shown_wall().done() == 4);
  for (std::size_t i = 0; i < 3; ++i) CHECK(wall.shown_wall().runs[i] == shown.runs[i]);
  CHECK(wall.shown_wall().runs[3]->seed == 3);
  wall.begin(recipe, 2);
  wall.wait();
  CHECK(wall.shown_wall().runs.size() == 2);
  // Another recipe: none of them.
  recipe.seed = 1;
  wall.begin(recipe, 1000);
  CHECK(wall.shown_wall().runs.empty());
  wall.stop();
  wall.wait();
  CHECK(wall.shown_wall().done() < 1000);
  CHECK(wall.shown_wall().stopped);
}

}  // namespace attnscope::training_lab_test
