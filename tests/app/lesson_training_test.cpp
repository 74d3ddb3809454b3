// Lessons that train: how they are read, that their numbers are those of a separate trainer, and what the
// checker says of them.
#include <algorithm>
#include <cmath>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/lessons/model_numbers.hpp"
#include "app/lessons/training_numbers.hpp"
#include "app/training_robot.hpp"
#include "core/base/error.hpp"
#include "support/program.hpp"

namespace attnscope::lesson_training_test {
namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;
using test::front_matter;
using test::recipe_by_hand;
using test::small_lesson;
using test::TemporaryDirectory;
using test::written_lesson;

}  // namespace

TEST_CASE("lessons that train are read step by step, each from the one before",
          "[lessons][lesson_training]") {
  const lessons::Lesson lesson = lessons::parse_lesson(small_lesson, "a.md");
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
  const auto refused = test::refused_lesson;
  const auto block = [](const std::string& line) {
    return front_matter + "## a\n```train\nsteps: 50\n" + line + "\n```\n";
  };
  refused("---\nlesson: x\ntraining: dreams\n---\n## a\n",
          "a.md:3: \"training\" is \"dreams\"; there are reverse");
  refused("---\nlesson: x\ntraining: text\n---\n## a\n", "a.md:3: \"training\" is \"text\"");
  refused("---\nlesson: x\ntraining: two-jobs\nmodel: smollm2\n---\n## a\n",
          "a.md:5: a lesson plays with a \"model\" or has a \"training\", not both");
  refused(front_matter + "```start\n{}\n```\n## a\n", "a.md:5: \"start\" is not for lessons that train");
  refused(front_matter + "## a\n```look\nhead: 1\n```\n", "a.md:6: \"look\" is not for lessons that train");
  refused(front_matter + "## a\n```held\n{}\n```\n", "a.md:6: \"held\" is not for lessons that train");
  refused(front_matter + "## a\n```ask sketch\nWhat?\nrow: 0, 1\nwithin: .1\n```\n",
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
  refused(block("cover: words"), "a.md:8: \"cover\" is \"words\"; expected yes, no or some of plots, heads");
  refused(block("task: dreams"), "a.md:8: \"task\" is \"dreams\"; there are reverse");
}

TEST_CASE("numbers of a lesson that trains are those of a trainer by itself", "[lessons][lesson_training]") {
  const training::Recipe recipe = recipe_by_hand();
  training::Knobs knobs = training::usual_knobs(recipe);
  knobs.operation.causal = false;
  training::Lab lab({}, 1);
  lab.stand({recipe, 100, training::LabStand::Branch{50, knobs, 75}});
  lab.wait();
  const training::ShownLab shown = lab.shown_lab();
  const lessons::LookUp numbers = lessons::look_up_in_training(shown);
  const auto number = [&](const char* text) { return lessons::Expression::parse(text).evaluate(numbers); };
  training::Trainer alone(recipe, 1);
  alone.train(50);
  const training::Metrics half = alone.measure();
  const training::Snapshot at_half = alone.snapshot();
  alone.train(50);
  const training::Metrics whole = alone.measure();
  const std::vector<std::vector<double>> costs = muting_costs(alone, whole);
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
  CHECK(number("cost(0)") == costs[0][0]);
  CHECK(number("cost(\"first\", 1)") == costs[1][1]);
  CHECK(number("even_score(\"first\")") == whole.even_scores[1]);
  CHECK((number("layer(1)") == 0 && number("place(1)") == 1));
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

TEST_CASE("the checker trains a lesson, says so, and finds what is wrong", "[lessons][lesson_training]") {
  const TemporaryDirectory directory;
  const lessons::CheckedLesson found = lessons::check_lesson(written_lesson(directory, small_lesson));
  CHECK(found.problems.empty());
  CHECK(found.trained);
  const test::Outcome good = test::run(directory, "lesson check a.md");
  CHECK(good.exit_code == 0);
  CHECK_THAT(good.out, ContainsSubstring("a.md: its runs were trained here."));
  CHECK_THAT(test::run(directory, "lesson names").out, ContainsSubstring("best_score(\"SCORE\", step)"));
  const auto problems =
      lessons::check_lesson(
          written_lesson(directory, front_matter +
                                        "## a\n{loss(25)} {branch.loss}\n```train\nsteps: 0\n```\n"
                                        "## b\n```done\nsteps >= 50\nMore.\nby: {\"steps\": 25}\n```\n"
                                        "## c\n```done\nsteps < 50\nLess.\n```\n"
                                        "## d\n```done\nsteps > 0\nMore.\nby: {\"colour\": 1}\n```\n"))
          .problems;
  INFO(fmt::format("{}", fmt::join(problems, "\n")));
  REQUIRE(problems.size() == 5);
  CHECK_THAT(problems[0], ContainsSubstring("a.md:6: In \"loss(25)\": Step 25 was not measured"));
  CHECK_THAT(problems[1], ContainsSubstring("asked for where there is no branch"));
  CHECK_THAT(problems[2], ContainsSubstring("a.md:14:") && ContainsSubstring("is not so after \"by\""));
  CHECK_THAT(problems[3], ContainsSubstring("is so when the step begins"));
  CHECK_THAT(problems[4], ContainsSubstring("\"by\" has \"colour: 1\""));
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
