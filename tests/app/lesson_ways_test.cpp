// Other ways through a lesson than step by step: to a chapter, to the list of lessons, and digits, which lead
// nowhere.
#include <algorithm>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "app/lesson_files.hpp"
#include "app/lesson_robot.hpp"
#include "app/state/teaching/experiment_lessons.hpp"

namespace attnscope::lesson_ways_test {
namespace {

using test::Player;
using test::TemporaryDirectory;
using test::written_lesson;

/// Two chapters of two steps; the second step of each asks.
const std::string two_chapters = R"(---
lesson: Ways
---
```start
{"text": ["a b"]}
```
# One
## Look
Words.
## Guess
```ask choose
Which?
- this | not this
* that
```
# Two
## Look again
Words.
## Guess again
```ask drag
How much?
range: 0, 1
answer: 0.5
within: 0.1
```
)";

void press_all_digits(Player& player) {
  for (int k = ImGuiKey_1; k <= ImGuiKey_9; ++k) player.press(static_cast<ImGuiKey>(k));
}

}  // namespace

TEST_CASE("a digit in a step without a question does nothing", "[lessons][lesson_ways]") {
  const TemporaryDirectory directory;
  const std::string name = written_lesson(directory, two_chapters).native();
  Player player;
  for (const std::int64_t step : {0, 2, 3}) {  // the last asks for no choice
    INFO("step " << step + 1);
    player.app().lessons().go_to({name, step});
    player.settle();
    const Document before = player.document();
    press_all_digits(player);
    CHECK(player.state().step == step);
    CHECK(player.app().view().mode == Mode::Lessons);
    CHECK(player.document() == before);
    CHECK(player.state().answer == StepAnswer{});
  }
}

TEST_CASE("after an arrow that a lesson has no use for Space goes to the next step",
          "[lessons][lesson_ways]") {
  const std::string fourth = "04-why-divide";
  Player player;
  player.open(fourth);
  for (const ImGuiKey arrow : {ImGuiKey_DownArrow, ImGuiKey_UpArrow}) {
    const std::int64_t step = player.state().step;
    player.press(arrow);
    player.press(arrow);
    CHECK_FALSE(ImGui::GetIO().NavVisible);  // no control is ringed
    player.press(ImGuiKey_Space);
    REQUIRE(player.state().name == fourth);
    CHECK(player.state().step == step + 1);
  }
  player.press(ImGuiKey_LeftArrow);
  CHECK(player.state().step == 1);
}

TEST_CASE("the keys at a step's foot are those that do something now", "[lessons][lesson_ways]") {
  Player player({.width = 1600, .height = 1000});
  player.app().lessons().go_to({"04-why-divide", 7});
  player.settle();
  CHECK(player.says("next step"));
  player.press(ImGuiKey_Space);
  CHECK_FALSE(player.says("next step"));
  CHECK(player.says("next lesson"));
  // A lesson outside of the list has no next one. The page while a field is edited cannot be read here: texts
  // are read from a saved picture, in which no field is edited.
  const TemporaryDirectory directory;
  const std::string text =
      "---\nlesson: Typed\n---\n```start\n{\"text\": [\"a b\"]}\n```\n# One\n## Type\nWords.\n"
      "```look\nshow: text\n```\n```done\ntokens >= 3\nType a word more.\nby: {\"text\": [\"a b c\"]}\n```\n"
      "## Last\nWords.\n";
  player.app().lessons().go_to({written_lesson(directory, text).native(), 0});
  player.settle();
  REQUIRE(ImGui::GetIO().WantTextInput);
  player.press(ImGuiKey_Enter);
  CHECK(player.says("next step"));
  player.press(ImGuiKey_Space);
  CHECK(player.state().step == 1);
  CHECK_FALSE(player.says("next step"));
  CHECK_FALSE(player.says("next lesson"));
}

TEST_CASE("a digit after an answer was revealed does nothing", "[lessons][lesson_ways]") {
  const TemporaryDirectory directory;
  const std::string name = written_lesson(directory, two_chapters).native();
  Player player;
  player.app().lessons().go_to({name, 1});
  player.settle();
  player.press(player.digit_of(1));
  CHECK(player.state().answer.chosen == 1);
  player.press(ImGuiKey_R);
  press_all_digits(player);
  CHECK(player.state().step == 1);
  CHECK(player.state().answer.chosen == 1);
}

TEST_CASE("a click on a chapter goes to its first step", "[lessons][lesson_ways]") {
  const TemporaryDirectory directory;
  const std::string name = written_lesson(directory, two_chapters).native();
  for (const int width : {1280, 1920}) {
    Player player({.width = width, .height = width * 9 / 16});
    player.app().lessons().go_to({name, 1});
    player.settle();
    player.click("lesson chapter 2");
    player.settle();
    CHECK(player.state().step == 2);
    player.press(ImGuiKey_Space);
    player.click("lesson chapter 1");
    player.settle();
    CHECK(player.state().step == 0);
  }
}

TEST_CASE("a lesson's long title has the room of a word beside it", "[lessons][lesson_ways]") {
  Player player({.width = 1280, .height = 720});
  player.app().lessons().go_to({"06-five-wrong-masks", 1});
  player.settle();
  CHECK(player.says("2 of 9"));
  CHECK_FALSE(player.says("step 2 of 9"));
  player.app().lessons().go_to({"07-many-heads", 1});
  player.settle();
  CHECK(player.says("step 2 of 11"));
}

TEST_CASE("every step of an open lesson shows the way to the list of lessons", "[lessons][lesson_ways]") {
  const TemporaryDirectory directory;
  const std::string name = written_lesson(directory, two_chapters).native();
  for (const int width : {1280, 1920}) {
    Player player({.width = width, .height = width * 9 / 16});
    for (std::int64_t step = 0; step < 4; ++step) {
      INFO("step " << step + 1 << ", width " << width);
      player.app().lessons().go_to({name, step});
      player.settle();
      CHECK(player.says("‹ Lessons"));
      CHECK(player.says("step " + std::to_string(step + 1) + " of 4"));
      CHECK(player.collides() == "");
      player.click("All lessons");
      player.settle();
      CHECK(player.state().name.empty());
      CHECK(player.app().view().mode == Mode::Lessons);
      CHECK(player.says("Each takes some minutes"));
      CHECK_FALSE(player.says("‹ Lessons"));
    }
  }
}

TEST_CASE("the way to the list of lessons has German words, and room in front of a class",
          "[lessons][lesson_ways]") {
  const TemporaryDirectory directory;
  const std::string name = written_lesson(directory, two_chapters).native();
  Player player;
  player.app().view().language = "de";
  player.app().lessons().go_to({name, 1});
  player.settle();
  CHECK(player.says("‹ Lektionen"));
  CHECK(player.collides() == "");
  player.press(ImGuiKey_F5);
  CHECK(player.says("‹ Lektionen"));
  CHECK(player.collides() == "");
  player.press(ImGuiKey_F5);
}

TEST_CASE("after the last step comes the next lesson, but not by a room's clicker",
          "[lessons][lesson_ways]") {
  Player player;
  player.app().lessons().go_to({"04-why-divide", 8});
  player.settle();
  REQUIRE(player.state().step == std::ssize(player.lesson().documents) - 1);
  CHECK(player.says("Next lesson"));
  CHECK(player.collides() == "");
  player.press(ImGuiKey_F5);
  player.press(ImGuiKey_PageDown);
  CHECK(player.state().name == "04-why-divide");
  player.press(ImGuiKey_F5);
  player.press(ImGuiKey_Space);
  CHECK(player.state().name == "05-causal-bidirectional-padding");
  CHECK(player.state().step == 0);
  CHECK_FALSE(player.says("Next lesson"));
  player.app().lessons().go_to({"04-why-divide", 8});
  player.settle();
  player.click("Next lesson");
  player.settle();
  CHECK(player.state().name == "05-causal-bidirectional-padding");
  player.app().lessons().go_to({"34-a-word-looks-back", 3});
  player.settle();
  CHECK(player.says("All lessons"));  // there is no next one
  CHECK_FALSE(player.says("Next lesson"));
}

TEST_CASE("a lesson's end tells what was expected and what was so", "[lessons][lesson_ways]") {
  const std::string fourth = "04-why-divide";
  for (const bool german : {false, true}) {
    Player player({.width = 1600, .height = 1000});
    if (german) player.app().view().language = "de";
    player.app().lessons().go_to({fourth, 8});
    player.settle();
    CHECK_FALSE(player.has("lesson expected 4"));  // nothing was asked yet
    player.app().lessons().go_to({fourth, 3});
    player.settle();
    player.press(player.digit_of(1));
    player.press(ImGuiKey_R);
    player.app().lessons().go_to({fourth, 8});
    player.settle();
    CHECK(player.says(german ? "Was erwartet wurde" : "What was expected, and what was so"));
    if (!german) {
      CHECK(player.says("expected: about 0.70"));
      CHECK(player.says("it was: more than 0.95"));
      CHECK(player.says("lessons that build on this one: 12"));
    }
    CHECK(player.collides() == "");
    REQUIRE(player.has("lesson expected 4"));
    player.click("lesson expected 4");
    player.settle();
    CHECK(player.state().step == 3);
    CHECK(player.state().answer.revealed);
  }
}

TEST_CASE("the list of lessons has groups, and says what a lesson needs", "[lessons][lesson_ways]") {
  for (const int width : {1280, 1920}) {
    Player player({.width = width, .height = width * 9 / 16});
    player.press(ImGuiKey_F8);
    CHECK(player.says("Attention by hand"));
    CHECK(player.collides() == "");
  }
  lessons::LessonLibrary library(ATTNSCOPE_ASSETS, {});
  library.follow("", "en");
  REQUIRE(library.shown_lessons().entries->size() == 34);
  for (const lessons::LessonEntry& entry : *library.shown_lessons().entries) {
    INFO(entry.name);
    CHECK(entry.trains == (entry.number >= 22 && entry.number <= 27));
    CHECK(entry.needs_model == (entry.number >= 18 && entry.number <= 21));
  }
}

TEST_CASE("a lesson in the list leads to the experiments about it", "[lessons][lesson_ways]") {
  Player player({.width = 1600, .height = 1400});
  for (const LessonOfExperiment& one : lessons_of_experiments) {
    if (one.experiment != 1 && one.experiment != 14) continue;  // quick to measure
    INFO("experiment " << one.experiment);
    player.press(ImGuiKey_F8);
    const std::string label = "experiment of lesson " + std::to_string(one.experiment);
    player.scroll_to(label);
    player.click(label);
    player.settle();
    CHECK(player.app().view().mode == Mode::Experiments);
    CHECK(player.state().name.empty());  // not the lesson of the row
    CHECK(player.says("Lesson " + std::to_string(std::stoi(std::string(one.lesson)))));
  }
}

TEST_CASE("the palette leads from a lesson to the list of lessons", "[lessons][lesson_ways]") {
  Player player;
  player.open("04-why-divide");
  REQUIRE_FALSE(player.state().name.empty());
  player.key(ImGuiKey_K, ImGuiMod_Ctrl);
  player.frame(3);
  player.type("All lessons");
  player.frame(2);
  player.press(ImGuiKey_Enter);
  CHECK(player.state().name.empty());
  CHECK(player.says("Each takes some minutes"));
}

}  // namespace attnscope::lesson_ways_test
