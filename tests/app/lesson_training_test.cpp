// Lessons that train: how they are read, that their numbers are those of a trainer by itself, and how a
// person goes through them: forward, exactly back, into free play, and doing what a step asks for.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/lesson_robot.hpp"
#include "app/lessons/model_numbers.hpp"
#include "app/lessons/step_checker.hpp"
#include "app/lessons/training_numbers.hpp"
#include "app/state/teaching/presenter_state.hpp"
#include "core/base/error.hpp"
#include "support/program.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::lesson_training_test {
namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;
using test::Player;
using test::TemporaryDirectory;

const std::string front = "---\nlesson: x\ntraining: two-jobs\n---\n";

/// Four steps of a task that trains in no time.
const std::string small = front + R"(## Begin
Accuracy {accuracy(0):.3f}.
```train
steps: 0
cover: no
```
## Fifty
Later {loss("first", 50):.4f}, entropy {entropy(1):.4f}.
```train
steps: 50
show: play, seed, rate, scale, mask, mute, branch
```
```ask choose
What?
- a
* b
answer: {score("previous", 0, 50):.4f}
```
```done
steps >= 75
Train it further.
by: {"steps": 25}
```
## Branched
{branch.accuracy("first"):.3f}
```train
branch: 25
branch_steps: 75
knobs: mask off, mute 1
side: b
measure: entropy
```
## Other
Of seed {seed:d}, {steps:d}.
```train
seed: 1
branch: no
steps: 75
look: 25
```
)";

std::filesystem::path written(const TemporaryDirectory& directory, const std::string& text,
                              const char* name = "a.md") {
  std::ofstream(directory / name, std::ios::binary) << text;
  return directory / name;
}

training::Recipe recipe_by_hand(std::uint64_t seed = 0) {
  training::Recipe recipe = training::find_task("two-jobs")->recipe;
  recipe.seed = seed;
  recipe.stops_at_goal = false;
  return recipe;
}

const training::Snapshot& last_of(const training::LabRun& run) {
  const training::LabMoment* const moment = run.kept_at(run.step);
  REQUIRE(moment != nullptr);
  REQUIRE(moment->step == run.step);
  return *moment->snapshot;
}

struct Trained : Player {
  using Player::Player;
  const training::LabSight& sight() { return app().training().sight(); }
  const training::LabRun& run() { return *sight().run(); }
  const LabState& lab() { return *app().view().lab; }
  void go(const std::string& name, std::int64_t step) {
    app().show_step({name, step});
    settle();
  }
  /// With the button, as a learner would.
  void train(std::int64_t steps) {
    const std::int64_t to = run().step + steps;
    click("Train");
    for (int i = 0; i < 20'000 && lab().playing && run().step < to; ++i) frame();
    if (lab().playing) click("Train");
    settle();
  }
};

}  // namespace

TEST_CASE("lessons that train are read step by step, each from the one before",
          "[lessons][lesson_training]") {
  const lessons::Lesson lesson = lessons::parse_lesson(small, "a.md");
  REQUIRE(lesson.of_training());
  REQUIRE(lesson.steps.size() == 4);
  const auto at = [&](std::size_t i) -> const lessons::TrainedStep& { return lesson.steps[i].trained; };
  CHECK((at(0).task == "two-jobs" && at(0).steps == 0 && !at(0).covers_plots && !at(0).covers_heads));
  CHECK((at(1).steps == 50 && !at(1).branch && at(1).covers_plots && at(1).covers_heads));
  CHECK(lesson.steps[1].shown.size() == 7);
  REQUIRE(at(2).branch);
  CHECK((at(2).steps == 50 && at(2).branch->at == 25 && at(2).branch->steps == 75));
  training::Knobs knobs = training::usual_knobs(recipe_by_hand());
  knobs.operation.causal = false;
  knobs.operation.muted = {0, 1};
  CHECK(at(2).branch->knobs == knobs);
  CHECK((at(2).side == LabSide::B && at(2).measure == "entropy"));
  CHECK((at(3).seed == 1 && !at(3).branch && at(3).side == LabSide::A && at(3).measure == "entropy"));
  CHECK((at(3).steps == 75 && at(3).look == 25));
  CHECK(lesson.steps[1].shown.front() == "play");
  CHECK(lesson.steps[2].shown.empty());
}

TEST_CASE("a lesson that trains names the line of what is wrong", "[lessons][lesson_training]") {
  const auto refused = [](const std::string& text, const std::string& words) {
    INFO(text);
    CHECK_THROWS_MATCHES(lessons::parse_lesson(text, "a.md"), Error,
                         MessageMatches(ContainsSubstring(words)));
  };
  const auto block = [](const std::string& line) {
    return front + "## a\n```train\nsteps: 50\n" + line + "\n```\n";
  };
  refused("---\nlesson: x\ntraining: dreams\n---\n## a\n",
          "a.md:3: \"training\" is \"dreams\"; there are reverse");
  refused("---\nlesson: x\ntraining: text\n---\n## a\n", "a.md:3: \"training\" is \"text\"");
  refused("---\nlesson: x\ntraining: two-jobs\nmodel: smollm2\n---\n## a\n",
          "a.md:5: a lesson plays with a \"model\" or has a \"training\", not both");
  refused(front + "```start\n{}\n```\n## a\n", "a.md:5: \"start\" is not for lessons that train");
  refused(front + "## a\n```look\nhead: 1\n```\n", "a.md:6: \"look\" is not for lessons that train");
  refused(front + "## a\n```held\n{}\n```\n", "a.md:6: \"held\" is not for lessons that train");
  refused(front + "## a\n```ask sketch\nWhat?\nrow: 0, 1\nwithin: .1\n```\n",
          "\"ask sketch\" is not for lessons that train");
  refused("---\nlesson: x\n---\n## a\n```train\nsteps: 0\n```\n", "a.md:5: \"train\" is for lessons with");
  refused(block("colour: red"), "a.md:8: \"train\" has \"colour\"; there are task, control");
  refused(block("control: maybe"), "a.md:8: \"control\" is \"maybe\"");
  refused(block("steps: 60"), "a.md:8: \"steps\" is 60; the task two-jobs is measured every 25 steps");
  refused(block("steps: 625"), "a.md:8: \"steps\" is \"625\"; expected a whole number from 0 to 600");
  refused(block("seed: x"), "a.md:8: \"seed\" is \"x\"");
  refused(block("look: 75"), "a.md:6: \"look\" is 75; the runs are trained 50 steps");
  refused(block("branch: 75"), "a.md:6: \"branch\" is 75; run A is trained 50 steps");
  refused(block("branch: 25\nbranch_steps: 0"), "a.md:6: the branch begins at 25 and goes to 0");
  refused(block("knobs: scale maybe"), "a.md:8: \"scale\" is followed by \"maybe\"; expected on or off");
  refused(block("knobs: mask off, mute 2"),
          "a.md:8: \"mute\" is followed by \"2\"; expected a number from 0 to 1");
  refused(block("knobs: rate 0"), "a.md:8: \"rate\" is followed by \"0\"");
  refused(block("knobs: volume 11"), "a.md:8: \"knobs\" has \"volume 11\"");
  refused(block("side: c"), "a.md:8: \"side\" is \"c\"; expected a, b or difference");
  refused(block("measure: induction"), "a.md:8: \"measure\" is \"induction\"; the task two-jobs has loss");
  refused(block("show: play, heads"), "a.md:8: \"show\" has \"heads\"; of a run there are play, branch");
  refused(block("cover: words"), "a.md:8: \"cover\" is \"words\"; expected plots, heads");
  refused(block("task: dreams"), "a.md:8: \"task\" is \"dreams\"; there are reverse");
}

TEST_CASE("numbers of a lesson that trains are those of a trainer by itself", "[lessons][lesson_training]") {
  const training::Recipe recipe = recipe_by_hand();
  training::Knobs knobs = training::usual_knobs(recipe);
  knobs.operation.causal = false;
  training::Lab lab({}, 1);
  lab.stand({recipe, 100, training::LabStand::Branch{50, knobs, 75}});
  lab.wait();
  const training::LabSight sight = lab.sight();
  const lessons::LookUp numbers = lessons::look_up_in_training(sight);
  const auto number = [&](const char* text) { return lessons::Expression::parse(text).evaluate(numbers); };
  training::Trainer alone(recipe, 1);
  alone.train(50);
  const training::Metrics half = alone.measure();
  const training::Snapshot at_half = alone.snapshot();
  alone.train(50);
  const training::Metrics whole = alone.measure();
  const std::vector<double> costs = muting_costs(alone, whole);
  CHECK(number("steps") == 100);
  CHECK((number("heads") == 2 && number("layers") == 1 && number("seed") == 0));
  CHECK(number("parameters") == static_cast<double>(alone.weight_count()));
  CHECK(number("chance") == 1.0 / 16);
  CHECK(number("loss(50)") == half.groups[0].loss);
  CHECK(number("loss") == whole.groups[0].loss);
  CHECK(number("loss(\"first\", 50)") == half.groups[1].loss);
  CHECK(number("accuracy(\"first\")") == whole.groups[1].accuracy);
  CHECK(number("entropy(1, 50)") == half.entropy[1]);
  CHECK(number("mean_entropy") == (whole.entropy[0] + whole.entropy[1]) / 2);
  CHECK(number("score(\"previous\", 1)") == whole.scores[0][1]);
  CHECK(number("best_score(\"first\", 50)") == std::max(half.scores[1][0], half.scores[1][1]));
  CHECK(number("best_head(\"first\")") == (whole.scores[1][0] >= whole.scores[1][1] ? 0 : 1));
  CHECK(number("cost(0)") == costs[0]);
  CHECK((number("layer(1)") == 1 && number("place(1)") == 1));
  CHECK(number("step_of_accuracy(\"first\", 0.9)") == 75);
  CHECK(number("highest_accuracy(\"first\")") >= number("accuracy(\"first\")"));
  CHECK(number("highest_loss(\"first\")") == number("loss(\"first\", highest_loss_step(\"first\"))"));
  CHECK(number("rate") == recipe.optimiser.rate);
  CHECK((number("causal") == 1 && number("branch.causal") == 0 && number("divided") == 1));
  CHECK(number("muted(1)") == 0);
  training::Trainer other(recipe, 1);
  other.restore(at_half);
  other.set_knobs(knobs);
  other.train(25);
  CHECK(number("branch.loss(\"first\", 75)") == other.measure().groups[1].loss);
  CHECK(number("branch.steps") == 75);
  CHECK(number("branch.loss(25)") == number("loss(25)"));  // which it shares
  const auto refused = [&](const char* text, const char* words) {
    INFO(text);
    CHECK_THROWS_MATCHES(number(text), Error, MessageMatches(ContainsSubstring(words)));
  };
  refused("loss(30)", "Step 30 was not measured");
  refused("loss(125)", "the run has come to 100");
  refused("goal_step", "has not reached its goal");
  refused("floor", "This task has no floor");
  refused("entropy(2)", "There is no head 2; the model has 2");
  refused("loss(\"third\")", "\"third\" is no group of this task; there are previous, first");
  refused("score(\"third\", 0)", "\"third\" is no score of this task");
  refused("score(0)", "score(\"SCORE\", head, step) has 0 words in quotes");
  refused("weight(0, 0)", "is no number of a run");
}

TEST_CASE("a lesson that trains goes forward and exactly back", "[lessons][lesson_training]") {
  const TemporaryDirectory directory;
  const std::string name = written(directory, small).native();
  Trained player({.width = 1600, .height = 1000});
  const Document before = player.document();
  const auto alone = [](std::uint64_t seed, int steps) {
    training::Trainer trainer(recipe_by_hand(seed), 1);
    trainer.train(steps);
    return trainer.snapshot();
  };
  const training::Snapshot fifty = alone(0, 50), other = alone(1, 75);
  for (const std::int64_t step : {0, 1, 2, 3, 2, 1, 0, 3, 0, 2}) {
    INFO("step " << step + 1);
    player.go(name, step);
    CHECK(player.trains_at(step));
    CHECK(last_of(*player.sight().runs[0]) == (step == 0 ? alone(0, 0) : step == 3 ? other : fifty));
    CHECK(player.document() == before);
    CHECK(player.collides() == "");
  }
  // What a learner has done in a step is gone when it begins again.
  player.go(name, 1);
  player.press(ImGuiKey_R);
  player.click("Causal");
  player.click("Mute L1H1");
  player.settle();
  CHECK_FALSE(player.run().knobs.operation.causal);
  CHECK(player.run().knobs.operation.muted == std::vector<std::uint8_t>{0, 1});
  player.train(25);
  CHECK(player.run().step >= 75);
  CHECK(player.state().reached.contains(1));
  CHECK_FALSE(player.trains_at(1));
  player.press(ImGuiKey_RightArrow);
  CHECK(player.trains_at(2));
  player.press(ImGuiKey_LeftArrow);
  CHECK(player.trains_at(1));
  CHECK(last_of(*player.sight().runs[0]) == fifty);
  CHECK(player.state().answer.revealed);
}

TEST_CASE("numbers of a step that trains come when they are known", "[lessons][lesson_training]") {
  const TemporaryDirectory directory;
  const std::string name = written(directory, small).native();
  Trained player({.width = 1600, .height = 1000});
  player.go(name, 0);
  player.app().show_step({name, 3});
  player.frame();
  const auto has = [&](const char* words) {
    return std::ranges::count(texts_of(player), words, &PlacedText::text) > 0;
  };
  CHECK(has("…"));
  CHECK(player.says("trains: step"));
  player.settle();
  CHECK_FALSE(has("…"));
  CHECK(has("75"));
  CHECK_FALSE(player.says("trains: step"));
}

TEST_CASE("what is asked of a run is covered until R, and its knobs are locked",
          "[lessons][lesson_training]") {
  const TemporaryDirectory directory;
  const std::string name = written(directory, small).native();
  Trained player({.width = 1600, .height = 1000});
  player.go(name, 0);
  CHECK(player.says("Heads on the probe"));
  player.go(name, 1);
  CHECK(player.says("lifts the lid"));
  CHECK(player.says("locked until R"));
  CHECK_FALSE(player.says("Heads on the probe"));
  CHECK_FALSE(player.says("Accuracy"));
  player.click("Train");
  player.click("Causal");
  player.frame(3);
  player.settle();
  CHECK(player.trains_at(1));
  player.press(ImGuiKey_R);
  CHECK(player.says("Heads on the probe"));
  CHECK_FALSE(player.says("lifts the lid"));
  player.click("Divide by sqrt(d_k)");
  player.type_number("learning rate value", "0.05");
  player.settle();
  CHECK_FALSE(player.run().knobs.operation.scaled);
  CHECK(std::abs(player.run().knobs.rate_factor - 10) < 1e-5);  // of the recipe's 0.005
  player.click("seed more");
  player.settle();
  CHECK(player.sight().recipe->seed == 1);
  CHECK(player.run().step == 50);
  CHECK(player.run().knobs == training::usual_knobs(*player.sight().recipe));
  player.click("Branch");
  player.settle();
  CHECK(player.sight().runs.size() == 2);
  CHECK(player.collides() == "");
}

TEST_CASE("free play of a run leads to the training page, and back to the run as it was left",
          "[lessons][lesson_training]") {
  const TemporaryDirectory directory;
  const std::string name = written(directory, small).native();
  Trained player({.width = 1600, .height = 1000});
  player.go(name, 1);
  player.press(ImGuiKey_R);
  player.click("Mute L1H0");
  player.train(25);
  const std::vector<training::LabRunPtr> left = player.sight().runs;
  player.press(ImGuiKey_Escape);
  REQUIRE(player.app().view().mode == Mode::Training);
  CHECK(player.sight().runs == left);
  player.key(ImGuiKey_S);
  player.press(ImGuiKey_B);
  player.app().view().lab->seed = 7;
  player.settle();
  CHECK(player.sight().recipe->seed == 7);
  player.press(ImGuiKey_Escape);
  REQUIRE(player.app().view().mode == Mode::Lessons);
  CHECK(player.sight().runs == left);
  CHECK(player.lab().seed == 0);
  CHECK(player.state().step == 1);
  CHECK(player.state().answer.revealed);
  player.train(25);  // it goes on from there
  CHECK(player.run().step >= left.front()->step + 25);
  CHECK(player.run().knobs.operation.muted == std::vector<std::uint8_t>{1, 0});
}

TEST_CASE("a person's own run is there again behind a lesson that trains", "[lessons][lesson_training]") {
  const TemporaryDirectory directory;
  const std::string name = written(directory, small).native();
  Trained player({.width = 1600, .height = 1000});
  player.app().view().lab->task = "reverse";
  player.press(ImGuiKey_F10);
  player.press(ImGuiKey_S);
  player.press(ImGuiKey_S);
  const std::vector<training::LabRunPtr> own = player.sight().runs;
  REQUIRE(own.front()->step == 2);
  player.go(name, 1);
  CHECK(player.trains_at(1));
  player.click("All lessons");
  player.settle();
  player.press(ImGuiKey_F10);
  CHECK(player.sight().recipe->task == "reverse");
  CHECK(player.lab().task == "reverse");
  CHECK(player.sight().runs == own);
}

TEST_CASE("a step that was left while it trained begins again, and a session comes back to it",
          "[lessons][lesson_training]") {
  const TemporaryDirectory directory;
  const std::string name = written(directory, small).native();
  const std::string far =
      written(directory, front + "## a\n{accuracy:.2f}\n```train\nsteps: 600\nshow: play\n```\n## b\n",
              "far.md")
          .native();
  {
    Trained player({.width = 1600, .height = 1000});
    player.app().show_step({far, 0});
    player.frame(2);
    CHECK_FALSE(player.app().training().has_stood());
    player.key(ImGuiKey_F2);
    player.settle();
    REQUIRE(player.app().view().mode == Mode::Explore);
    CHECK_FALSE(player.app().training().is_training());
    player.press(ImGuiKey_F8);
    CHECK(player.trains_at(0));
    // The same by way of the training page, which trains on to where the step stands.
    player.app().show_step({name, 3});
    player.frame();
    player.key(ImGuiKey_Escape);
    player.settle();
    REQUIRE(player.app().view().mode == Mode::Training);
    CHECK(player.run().step == 75);
    player.press(ImGuiKey_Escape);
    CHECK(player.trains_at(3));
    // What was edited before the lesson is undone without it; it stands where it stood.
    player.press(ImGuiKey_F2);
    player.press(ImGuiKey_C);
    player.press(ImGuiKey_F8);
    CHECK(player.trains_at(3));
    player.press(ImGuiKey_Z, ImGuiMod_Ctrl);
    player.press(ImGuiKey_F8);
    CHECK(player.trains_at(3));
    player.app().save(directory / "lesson.json");
  }
  Trained again({.width = 1600, .height = 1000});
  again.app().open(directory / "lesson.json");
  again.settle();
  REQUIRE(again.app().view().mode == Mode::Lessons);
  REQUIRE(again.app().lesson());
  CHECK(again.state().step == 3);
  CHECK(again.trains_at(3));
}

TEST_CASE("in front of a room and in German no words of a run meet", "[lessons][lesson_training]") {
  const TemporaryDirectory directory;
  const std::string name = written(directory, small).native();
  Trained player;
  for (const char* language : {"en", "de"}) {
    player.app().view().language = language;
    for (const bool presents : {false, true}) {
      if (player.app().view().presenter->on != presents) player.press(ImGuiKey_F5);
      for (std::int64_t step = 0; step < 4; ++step) {
        INFO(language << (presents ? ", presented" : "") << ", step " << step + 1);
        player.go(name, step);
        CHECK(player.collides() == "");
        player.press(ImGuiKey_R);
        CHECK(player.collides() == "");
      }
    }
    player.press(ImGuiKey_F5);
  }
}

TEST_CASE("the checker trains a lesson, says so, and finds what is wrong", "[lessons][lesson_training]") {
  const TemporaryDirectory directory;
  bool trained = false;
  CHECK(lessons::check_lesson(written(directory, small), nullptr, &trained).empty());
  CHECK(trained);
  const test::Outcome good = test::run(directory, "lesson check a.md");
  CHECK(good.exit_code == 0);
  CHECK_THAT(good.out, ContainsSubstring("a.md: its runs were trained here."));
  CHECK_THAT(test::run(directory, "lesson names").out, ContainsSubstring("best_score(\"SCORE\", step)"));
  const auto problems = lessons::check_lesson(
      written(directory, front + "## a\n{loss(25)} {branch.loss}\n```train\nsteps: 0\n```\n"
                                 "## b\n```done\nsteps >= 50\nMore.\nby: {\"steps\": 25}\n```\n"
                                 "## c\n```done\nsteps < 50\nLess.\n```\n"
                                 "## d\n```done\nsteps > 0\nMore.\nby: {\"colour\": 1}\n```\n"));
  INFO(fmt::format("{}", fmt::join(problems, "\n")));
  REQUIRE(problems.size() == 5);
  CHECK_THAT(problems[0], ContainsSubstring("a.md:5: In \"loss(25)\": Step 25 was not measured"));
  CHECK_THAT(problems[1], ContainsSubstring("asked for where there is no branch"));
  CHECK_THAT(problems[2], ContainsSubstring("is not so after \"by\""));
  CHECK_THAT(problems[3], ContainsSubstring("is so when the step begins"));
  CHECK_THAT(problems[4], ContainsSubstring("\"by\" has \"colour: 1\""));
}

namespace {

/// Whether the step is to be trained here. Grokking takes long; `attnscope lesson check` goes through it.
bool is_short(const lessons::Step& step) {
  return step.trained.task != "modular-addition" || step.trained.steps <= 200;
}

/// A wrong answer, then a right one: until R an answer can be changed.
void answer_and_reveal(Trained& player, const lessons::Question& question) {
  CHECK_FALSE(player.state().answer.revealed);
  if (const auto* choose = std::get_if<lessons::ChooseQuestion>(&question.kind))
    for (const bool right : {false, true}) {
      const auto choice = std::ranges::find(choose->choices, right, &lessons::Choice::right);
      REQUIRE(choice != choose->choices.end());
      player.press(static_cast<ImGuiKey>(ImGuiKey_1 + (choice - choose->choices.begin())));
    }
  player.press(ImGuiKey_R);
  CHECK(player.state().answer.revealed);
}

/// What the step asks for, with the controls that it shows.
void do_task(Trained& player, const lessons::ReachedBy& by) {
  for (int presses = 0; by.seed && player.lab().seed != *by.seed && presses < 12; ++presses) {
    player.click(player.lab().seed < *by.seed ? "seed more" : "seed less");
    player.settle();
  }
  const training::Knobs before = player.run().knobs;
  const training::Knobs wanted = lessons::turned(before, *player.sight().recipe, by.knobs);
  if (wanted.operation.causal != before.operation.causal) player.click("Causal");
  if (wanted.operation.scaled != before.operation.scaled) player.click("Divide by sqrt(d_k)");
  player.settle();
  CHECK(player.run().knobs == wanted);
  if (by.steps) player.train(*by.steps);
}

/// Every number of the step as it is on screen.
std::vector<std::string> wrong_numbers(Trained& player, const lessons::Step& step) {
  std::vector<std::string> problems;
  const std::string name = player.lesson().name;
  lessons::StepChecker(name, step, problems).check(lessons::look_up_in_training(player.sight()));
  return problems;
}

}  // namespace

TEST_CASE("every lesson that trains is played: forward, with its tasks, and exactly back",
          "[lessons][lesson_training]") {
  Trained player;
  std::size_t tasks = 0, count = 0;
  for (const std::string& name : test::all_lessons()) {
    player.app().show_step({name, 0});
    const lessons::Lesson lesson = player.lesson().lesson;
    if (!lesson.of_training()) continue;
    ++count;
    INFO(name);
    player.settle();
    std::int64_t last = 0;
    for (std::int64_t i = 0; i < std::ssize(lesson.steps); ++i) {
      const lessons::Step& step = lesson.steps[static_cast<std::size_t>(i)];
      if (!is_short(step)) break;
      INFO("step " << i + 1);
      if (i > 0) player.press(ImGuiKey_Space);
      last = i;
      REQUIRE(player.state().step == i);
      CHECK(player.trains_at(i));
      CHECK(wrong_numbers(player, step) == std::vector<std::string>());
      CHECK(player.collides() == "");
      if (step.question) answer_and_reveal(player, *step.question);
      if (step.done) {
        CHECK_FALSE(player.state().reached.contains(i));
        REQUIRE_FALSE(step.done_by.empty());
        do_task(player, lessons::reached_by(step.done_by));
        CHECK(player.state().reached.contains(i));
        CHECK(player.says("Reached"));
        ++tasks;
      }
      CHECK(player.collides() == "");
    }
    for (std::int64_t i = last; i >= 0; --i) {
      INFO("back at step " << i + 1);
      CHECK(player.state().step == i);
      if (!lesson.steps[static_cast<std::size_t>(i)].done || i < last) CHECK(player.trains_at(i));
      player.press(ImGuiKey_LeftArrow);
    }
    for (const auto& [step, answer] : player.state().answers)
      if (lesson.steps[static_cast<std::size_t>(step)].question) CHECK(answer.revealed);
    player.press(ImGuiKey_Home);
    CHECK(player.state().answers.empty());
  }
  CHECK(count >= 6);
  CHECK(tasks >= 6);
}

TEST_CASE("every number of a lesson that trains has a name", "[lessons][lesson_training]") {
  for (const std::string& name : test::all_lessons()) {
    const lessons::Lesson lesson =
        lessons::read_lesson(std::filesystem::path(ATTNSCOPE_ASSETS) / "lessons" / (name + ".md"));
    if (!lesson.of_training()) continue;
    INFO(name);
    for (const lessons::Step& step : lesson.steps)
      for (const lessons::Expression::Name& asked : lessons::names_in(step)) {
        INFO(step.title << ": " << asked.name);
        CHECK(lessons::is_training_name(asked.name));
      }
  }
}

}  // namespace attnscope::lesson_training_test
