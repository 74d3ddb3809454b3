// Playing lessons that train: forward, exactly back, into free play, and doing a step's tasks.
#include <algorithm>
#include <cmath>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "app/lessons/step_checker.hpp"
#include "app/lessons/training_numbers.hpp"
#include "app/state/presenter_state.hpp"
#include "app/training_robot.hpp"

namespace attnscope::lesson_training_player_test {
namespace {

using test::front_matter;
using test::last_of;
using test::recipe_by_hand;
using test::small_lesson;
using test::TemporaryDirectory;
using test::Trained;
using test::written_lesson;

}  // namespace

TEST_CASE("a lesson that trains goes forward and exactly back", "[lessons][lesson_training]") {
  const TemporaryDirectory directory;
  const std::string name = written_lesson(directory, small_lesson).native();
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
    CHECK(last_of(*player.shown_lab().runs[0]) == (step == 0 ? alone(0, 0) : step == 3 ? other : fifty));
    CHECK(player.document() == before);
    CHECK(player.collides() == "");
  }
  // A learner's changes of a step are gone when the step begins again.
  player.go(name, 1);
  player.press(ImGuiKey_R);
  player.click("Causal");
  player.click("Mute L0H1");
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
  CHECK(last_of(*player.shown_lab().runs[0]) == fifty);
  CHECK(player.state().answer.revealed);
}

TEST_CASE("numbers of a step that trains come when they are known", "[lessons][lesson_training]") {
  const TemporaryDirectory directory;
  // Its last step trains for a second or two, and a frame takes milliseconds.
  const std::string last = "## Long\n{loss(1500):.4f}.\n```train\ntask: reverse\nsteps: 1500\n```\n";
  const std::string name = written_lesson(directory, small_lesson + last).native();
  Trained player({.width = 1600, .height = 1000});
  player.go(name, 0);
  const auto has = [&](const char* words) {
    return std::ranges::count(texts_of(player), words, &PlacedText::text) > 0;
  };
  player.app().lessons().go_to({name, 4});
  player.frame();
  CHECK(has("…"));
  CHECK(player.says("trains: step"));
  player.go(name, 3);
  CHECK_FALSE(has("…"));
  CHECK(has("75"));
  CHECK_FALSE(player.says("trains: step"));
}

TEST_CASE("what is asked of a run is covered until R, and its knobs are locked",
          "[lessons][lesson_training]") {
  const TemporaryDirectory directory;
  const std::string name = written_lesson(directory, small_lesson).native();
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
  CHECK(player.shown_lab().recipe->seed == 1);
  CHECK(player.run().step == 50);
  CHECK(player.run().knobs == training::usual_knobs(*player.shown_lab().recipe));
  player.click("Branch");
  player.settle();
  CHECK(player.shown_lab().runs.size() == 2);
  CHECK(player.collides() == "");
}

TEST_CASE("free play of a run leads to the training page, and back to the run as it was left",
          "[lessons][lesson_training]") {
  const TemporaryDirectory directory;
  const std::string name = written_lesson(directory, small_lesson).native();
  Trained player({.width = 1600, .height = 1000});
  player.go(name, 1);
  player.press(ImGuiKey_R);
  player.click("Mute L0H0");
  player.train(25);
  const std::vector<training::LabRunPtr> left = player.shown_lab().runs;
  player.press(ImGuiKey_Escape);
  REQUIRE(player.app().view().mode == Mode::Training);
  CHECK(player.shown_lab().runs == left);
  player.key(ImGuiKey_S);
  player.press(ImGuiKey_B);
  lab_of(player.app().view()).seed = 7;
  player.settle();
  CHECK(player.shown_lab().recipe->seed == 7);
  player.press(ImGuiKey_Escape);
  REQUIRE(player.app().view().mode == Mode::Lessons);
  CHECK(player.shown_lab().runs == left);
  CHECK(player.lab().seed == 0);
  CHECK(player.state().step == 1);
  CHECK(player.state().answer.revealed);
  player.train(25);  // the run continues from there
  CHECK(player.run().step >= left.front()->step + 25);
  CHECK(player.run().knobs.operation.muted == std::vector<std::uint8_t>{1, 0});
}

TEST_CASE("a person's own run is there again behind a lesson that trains", "[lessons][lesson_training]") {
  const TemporaryDirectory directory;
  const std::string name = written_lesson(directory, small_lesson).native();
  Trained player({.width = 1600, .height = 1000});
  lab_of(player.app().view()).task = "reverse";
  player.press(ImGuiKey_F10);
  player.press(ImGuiKey_S);
  player.press(ImGuiKey_S);
  const std::vector<training::LabRunPtr> own = player.shown_lab().runs;
  REQUIRE(own.front()->step == 2);
  player.go(name, 1);
  CHECK(player.trains_at(1));
  player.click("All lessons");
  player.settle();
  player.press(ImGuiKey_F10);
  CHECK(player.shown_lab().recipe->task == "reverse");
  CHECK(player.lab().task == "reverse");
  CHECK(player.shown_lab().runs == own);
}

TEST_CASE("a step that was left while it trained begins again, and a session comes back to it",
          "[lessons][lesson_training]") {
  const TemporaryDirectory directory;
  const std::string name = written_lesson(directory, small_lesson).native();
  const std::string far =
      written_lesson(directory,
                     front_matter + "## a\n{accuracy:.2f}\n```train\nsteps: 600\nshow: play\n```\n## b\n",
                     "far.md")
          .native();
  {
    Trained player({.width = 1600, .height = 1000});
    player.app().lessons().go_to({far, 0});
    player.frame(2);
    CHECK_FALSE(player.app().training().has_stood());
    player.key(ImGuiKey_F2);
    player.settle();
    REQUIRE(player.app().view().mode == Mode::Explore);
    CHECK_FALSE(player.app().training().is_training());
    player.press(ImGuiKey_F8);
    CHECK(player.trains_at(0));
    // The same by way of the training page, which first trains up to the step.
    player.app().lessons().go_to({name, 3});
    player.frame();
    player.key(ImGuiKey_Escape);
    player.settle();
    REQUIRE(player.app().view().mode == Mode::Training);
    CHECK(player.run().step == 75);
    player.press(ImGuiKey_Escape);
    CHECK(player.trains_at(3));
    // Edits from before the lesson can be undone without it; the lesson stays at its step.
    player.press(ImGuiKey_F2);
    player.press(ImGuiKey_C);
    player.press(ImGuiKey_F8);
    CHECK(player.trains_at(3));
    player.press(ImGuiKey_Z, ImGuiMod_Ctrl);
    player.press(ImGuiKey_F8);
    CHECK(player.trains_at(3));
    player.app().files().saving.save(directory / "lesson.json");
  }
  Trained again({.width = 1600, .height = 1000});
  again.app().files().opening.open(directory / "lesson.json");
  again.settle();
  REQUIRE(again.app().view().mode == Mode::Lessons);
  REQUIRE(again.app().lessons().open());
  CHECK(again.state().step == 3);
  CHECK(again.trains_at(3));
}

TEST_CASE("in front of a room and in German no words of a run meet", "[lessons][lesson_training]") {
  const TemporaryDirectory directory;
  const std::string name = written_lesson(directory, small_lesson).native();
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
      player.press(player.digit_of(static_cast<std::size_t>(choice - choose->choices.begin())));
    }
  player.press(ImGuiKey_R);
  CHECK(player.state().answer.revealed);
}

/// Does the step's task, with the controls that it shows.
void do_task(Trained& player, const lessons::ReachedBy& by) {
  for (int presses = 0; by.seed && player.lab().seed != *by.seed && presses < 12; ++presses) {
    player.click(player.lab().seed < *by.seed ? "seed more" : "seed less");
    player.settle();
  }
  const training::Knobs before = player.run().knobs;
  const training::Knobs wanted = lessons::turned(before, *player.shown_lab().recipe, by.knobs);
  if (wanted.operation.causal != before.operation.causal) player.click("Causal");
  if (wanted.operation.scaled != before.operation.scaled) player.click("Divide by sqrt(d_k)");
  player.settle();
  CHECK(player.run().knobs == wanted);
  if (by.steps) player.train(*by.steps);
}

/// Compares every number of the step with the one on screen.
std::vector<std::string> wrong_numbers(Trained& player, const lessons::Step& step) {
  std::vector<std::string> problems;
  const std::string name = player.lesson().name;
  lessons::StepChecker(name, step, problems).check(lessons::look_up_in_training(player.shown_lab()));
  return problems;
}

}  // namespace

TEST_CASE("every lesson that trains is played: forward, with its tasks, and exactly back",
          "[lessons][lesson_training]") {
  Trained player;
  std::size_t tasks = 0, count = 0;
  for (const std::string& name : test::all_lessons()) {
    player.app().lessons().go_to({name, 0});
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

}  // namespace attnscope::lesson_training_player_test
