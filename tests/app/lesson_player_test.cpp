// Playing lessons: each one from its first step to its last and back, right and wrong answers, tasks, free
// play and the way back, and the same while presenting.
#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "app/files/paths.hpp"
#include "app/kit/ui/number_format.hpp"
#include "app/lesson_robot.hpp"
#include "app/lessons/library.hpp"
#include "app/state/presenter_state.hpp"
#include "app/state/teaching/lesson_state.hpp"
#include "core/files/document/open.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::lesson_player_test {
namespace {

using test::all_lessons;
using test::Player;
using test::TemporaryDirectory;

const char* const fourth = "04-why-divide";

}  // namespace

TEST_CASE("every lesson can be played in every language it has", "[lessons][lesson_player]") {
  std::size_t count = 0;
  for (const auto& file :
       std::filesystem::directory_iterator(std::filesystem::path(ATTNSCOPE_ASSETS) / "lessons")) {
    INFO(file.path());
    if (lessons::read_lesson(file.path()).of_training()) continue;  // see lesson_training_player_test.cpp
    const std::vector<std::string> problems = lessons::check_lesson(file.path()).problems;
    for (const std::string& problem : problems) UNSCOPED_INFO(problem);
    CHECK(problems.empty());
    ++count;
  }
  CHECK(count >= 1);
}

TEST_CASE("translations of a lesson have its steps, its Documents and its answers",
          "[lessons][lesson_player]") {
  const std::filesystem::path folder = std::filesystem::path(ATTNSCOPE_ASSETS) / "lessons";
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    const std::filesystem::path stem = file.path().stem();
    if (!stem.has_extension()) continue;
    INFO(file.path());
    const std::filesystem::path original = folder / (stem.stem().native() + ".md");
    REQUIRE(std::filesystem::exists(original));
    const lessons::Lesson english_one = lessons::read_lesson(original),
                          other = lessons::read_lesson(file.path());
    REQUIRE(english_one.steps.size() == other.steps.size());
    CHECK(english_one.number == other.number);
    CHECK(english_one.chapters.size() == other.chapters.size());
    const auto mine = lessons::documents_of(english_one, "a"), theirs = lessons::documents_of(other, "b");
    for (std::size_t i = 0; i < mine.size(); ++i) {
      INFO("step " << i + 1);
      Document a = mine[i].shown, b = theirs[i].shown;
      a.title = b.title = "";
      CHECK(to_json(a) == to_json(b));  // blocks of two readings are never the same
      CHECK(mine[i].held.has_value() == theirs[i].held.has_value());
      const auto &asked = english_one.steps[i].question, &asked_there = other.steps[i].question;
      REQUIRE(asked.has_value() == asked_there.has_value());
      if (!asked) continue;
      REQUIRE(asked->kind.index() == asked_there->kind.index());
      if (const auto* choose = std::get_if<lessons::ChooseQuestion>(&asked->kind)) {
        const auto& there = std::get<lessons::ChooseQuestion>(asked_there->kind);
        REQUIRE(choose->choices.size() == there.choices.size());
        for (std::size_t c = 0; c < there.choices.size(); ++c)
          CHECK(choose->choices[c].right == there.choices[c].right);
      }
    }
  }
}

TEST_CASE("every lesson goes forward to its end and exactly back", "[lessons][lesson_player]") {
  Player player;
  for (const std::string& name : all_lessons()) {
    INFO(name);
    player.press(ImGuiKey_F8);
    if (!player.state().name.empty()) {
      player.click("All lessons");
      player.frame(2);
    }
    player.app().lessons().go_to({name, 0});
    player.settle();
    REQUIRE(player.app().lessons().open());
    if (player.lesson().lesson.of_training()) continue;  // see lesson_training_player_test.cpp
    const auto last = std::ssize(player.lesson().documents) - 1;
    // A step's changes of a model apply at once. Reading the model takes time: the checker waits for it.
    const auto press_alone = [&](ImGuiKey key) {
      if (!player.lesson().lesson.of_model()) return player.press(key);
      player.key(key);
      player.frame(3);
    };
    const auto press = [&](ImGuiKey key) {
      if (ImGui::GetIO().WantTextInput) press_alone(ImGuiKey_Escape);  // a step that asks for a text
      press_alone(key);
    };
    for (std::int64_t step = 0; step <= last; ++step) {
      INFO("step " << step + 1);
      REQUIRE(player.state().step == step);
      CHECK(player.stands_at(step));
      const auto& held = player.lesson().documents[static_cast<std::size_t>(step)].held;
      CHECK(player.app().held().held_result().has_value() == held.has_value());
      if (held) CHECK(player.app().held().held_result()->result->document == *held);
      CHECK(player.collides() == "");
      const auto& question = player.lesson().lesson.steps[static_cast<std::size_t>(step)].question;
      if (question) {
        CHECK_FALSE(player.state().answer.revealed);
        if (const auto* choose = std::get_if<lessons::ChooseQuestion>(&question->kind)) {
          // A wrong answer, then a right one: until R an answer can be changed.
          const auto wrong = std::ranges::find(choose->choices, false, &lessons::Choice::right);
          const auto correct = std::ranges::find(choose->choices, true, &lessons::Choice::right);
          const auto digit = [&](auto at) {
            return player.digit_of(static_cast<std::size_t>(at - choose->choices.begin()));
          };
          if (wrong != choose->choices.end()) press(digit(wrong));
          if (step % 2 == 0) press(digit(correct));
        }
        press(ImGuiKey_R);
        CHECK(player.state().answer.revealed);
        CHECK(player.collides() == "");
      }
      if (step < last) press(ImGuiKey_Space);
    }
    // The way on after the last step is in lesson_ways_test.cpp.
    for (std::int64_t step = last; step >= 0; --step) {
      CHECK(player.state().step == step);
      CHECK(player.stands_at(step));
      press(ImGuiKey_LeftArrow);
    }
    CHECK(player.state().step == 0);
    for (const auto& [step, answer] : player.state().answers)
      if (player.lesson().lesson.steps[static_cast<std::size_t>(step)].question) CHECK(answer.revealed);
    press(ImGuiKey_Home);
    CHECK_FALSE(player.state().answer.revealed);
    CHECK(player.state().answers.empty());
  }
}

TEST_CASE("what is covered stays covered until R, and cannot be changed", "[lessons][lesson_player]") {
  Player player;
  player.open(fourth);
  player.app().lessons().go_to({fourth, 3});
  player.settle();
  const std::string answer = "0.98";
  CHECK(player.says("lifts the lid"));
  CHECK(player.says("locked until R"));
  const Document before = player.document();
  player.press(ImGuiKey_S);
  player.press(ImGuiKey_C);
  player.click("Divide by sqrt(d_k)");
  player.settle();
  CHECK(player.document() == before);
  player.press(player.digit_of(3));
  CHECK(player.state().answer.chosen == 3);
  CHECK_FALSE(player.state().answer.revealed);
  player.press(ImGuiKey_R);
  CHECK_FALSE(player.says("lifts the lid"));
  player.click("Divide by sqrt(d_k)");
  player.settle();
  CHECK(player.document() != before);
  // Back and forth, the step and its answers are as before.
  player.press(ImGuiKey_LeftArrow);
  player.press(ImGuiKey_RightArrow);
  CHECK(player.document() == before);
  CHECK(player.state().answer.revealed);
  CHECK(player.state().answer.chosen == 3);
}

TEST_CASE("letters and arrows that are typed in a lesson change nothing", "[lessons][lesson_player]") {
  Player player;
  player.open(fourth);
  const Document before = player.document();
  const ThemeName theme = player.app().view().theme;
  for (int k = ImGuiKey_A; k <= ImGuiKey_Z; ++k)
    if (k != ImGuiKey_N && k != ImGuiKey_V) player.press(static_cast<ImGuiKey>(k));
  player.press(ImGuiKey_UpArrow);
  player.press(ImGuiKey_DownArrow);
  CHECK(player.document() == before);
  CHECK(player.app().view().theme == theme);
  CHECK(player.app().view().mode == Mode::Lessons);
}

TEST_CASE("free play leaves the step and comes back to it as it was", "[lessons][lesson_player]") {
  Player player;
  player.open(fourth);
  player.app().lessons().go_to({fourth, 2});
  player.settle();
  player.click("d_k more");
  player.settle();
  const Document changed = player.document();
  CHECK(changed != player.of_step(2));
  player.press(ImGuiKey_Escape);
  CHECK(player.app().view().mode == Mode::Explore);
  player.press(ImGuiKey_C);
  player.press(ImGuiKey_S);
  CHECK(player.document() != changed);
  player.press(ImGuiKey_Escape);
  if (player.app().view().mode != Mode::Lessons)
    player.press(ImGuiKey_Escape);  // the first one freed the cell
  CHECK(player.app().view().mode == Mode::Lessons);
  CHECK(player.document() == changed);
  CHECK(player.state().step == 2);
}

TEST_CASE("what is to be done is seen when it is done", "[lessons][lesson_player]") {
  Player player;
  player.open(fourth);
  player.app().lessons().go_to({fourth, 5});
  player.settle();
  CHECK_FALSE(player.state().reached.contains(5));
  for (int i = 0; i < 4; ++i) {
    player.click("d_k less");
    player.settle();
  }
  CHECK(player.state().reached.contains(5));
  CHECK(player.says("Reached"));
}

TEST_CASE("the votes of a class are counted", "[lessons][lesson_player]") {
  Player player;
  player.open(fourth);
  player.app().lessons().go_to({fourth, 3});
  player.settle();
  player.press(ImGuiKey_V);
  for (const std::size_t choice : {0u, 3u, 3u, 1u, 3u}) player.press(player.digit_of(choice));
  CHECK(player.state().answer.votes == std::array<std::int64_t, 6>{1, 1, 0, 3, 0, 0});
  CHECK(player.state().answer.chosen == -1);
}

TEST_CASE("a prediction counts from when it is revealed", "[lessons][lesson_player]") {
  Player player({.width = 1920, .height = 1080});
  player.open(fourth);
  std::vector<std::pair<std::int64_t, lessons::ChooseQuestion>> questions;
  const std::vector<lessons::Step>& steps = player.lesson().lesson.steps;
  for (std::int64_t i = 0; i < std::ssize(steps); ++i)
    if (const auto& question = steps[static_cast<std::size_t>(i)].question)
      if (const auto* choose = std::get_if<lessons::ChooseQuestion>(&question->kind))
        questions.emplace_back(i, *choose);
  REQUIRE(questions.size() >= 2);
  const auto choose = [&](std::size_t at, bool right) {
    const auto& [step, question] = questions[at];
    player.app().lessons().go_to({fourth, step});
    player.settle();
    const auto answer = std::ranges::find(question.choices, right, &lessons::Choice::right);
    REQUIRE(answer != question.choices.end());
    player.press(player.digit_of(static_cast<std::size_t>(answer - question.choices.begin())));
  };
  choose(0, true);
  CHECK_FALSE(player.says("predictions right"));
  player.press(ImGuiKey_R);
  CHECK(player.says("1 of 1 predictions right"));
  choose(1, false);
  CHECK(player.says("1 of 1 predictions right"));  // the other is not revealed yet
  player.press(ImGuiKey_R);
  CHECK(player.says("1 of 2 predictions right"));
}

TEST_CASE("beside a cache what is held is read in the row of the same token", "[lessons][lesson_player]") {
  Player player({.width = 1600, .height = 1000});
  player.app().lessons().go_to({"14-generating-with-a-cache", 2});
  player.settle();
  const LayerResult &shown = player.app().shown()->layer(),
                    &held = player.app().held().held_result()->result->layer();
  REQUIRE((shown.dimensions.queries == 1 && held.dimensions.queries == 6));
  const std::string own = fixed(shown.measures.row(0, 0, 0).entropy, 2),
                    same = fixed(held.measures.row(0, 0, 5).entropy, 2);
  CHECK(own == same);  // the same numbers as without a cache
  CHECK(fixed(held.measures.row(0, 0, 0).entropy, 2) != same);
  CHECK(std::ranges::count(texts_of(player), same, &PlacedText::text) >= 2);
}

TEST_CASE("weights in a step are those that mix the values, on either side", "[lessons][lesson_player]") {
  Player player({.width = 1600, .height = 1000});
  const auto cells = [&](bool right) {  // numbers in the cells of a side, below the controls
    std::vector<std::string> all;
    for (const PlacedText& text : texts_of(player))
      if (text.text.size() == 3 && text.text[0] == '.' && text.y0 > 100 && (text.x0 > 856) == right &&
          text.x0 > 480)
        all.push_back(text.text);
    return all;
  };
  // Softmax at the left, linear attention of the same queries and keys at the right.
  player.app().lessons().go_to({"13-long-sequences", 8});
  player.settle();
  const LayerResult &shown = player.app().shown()->layer(),
                    &held = player.app().held().held_result()->result->layer();
  const auto printed = [](const LayerResult& of, Stage stage) {
    return in_cell(static_cast<double>(of.trace[stage]->matrix(0, 2)(8, 0)));
  };
  const std::string soft = printed(shown, Stage::Softmax), linear = printed(held, Stage::Linear);
  REQUIRE(soft != linear);
  const std::vector<std::string> right = cells(true), left = cells(false);
  CHECK(std::ranges::count(right, linear) > 0);
  CHECK(right != left);
  // A head that is muted in the step keeps its pattern, and the picture says what it gives.
  player.app().lessons().go_to({"07-many-heads", 5});
  player.settle();
  const float weight = player.app().shown()->layer().trace[Stage::Softmax]->matrix(0, 0)(4, 3);
  const std::string written = fixed(static_cast<double>(weight), 4);
  CHECK(player.says(written));
  player.click("Mute head");
  player.settle();
  CHECK(player.says(written));
  CHECK(player.says("what it gives is 0"));
}

TEST_CASE("how far a lesson was read is kept, and an own lesson opens like any file",
          "[lessons][lesson_player]") {
  const TemporaryDirectory directory;
  {
    Player player({.width = 1280, .height = 720, .state = directory / "state"});
    player.open(fourth);
    player.press(ImGuiKey_Space);
  }
  lessons::LessonLibrary library(ATTNSCOPE_ASSETS, directory / "state");
  library.follow("", "en");
  CHECK(library.shown_lessons().furthest->at(fourth) == 1);

  std::filesystem::copy_file(std::filesystem::path(ATTNSCOPE_ASSETS) / "lessons" / "04-why-divide.md",
                             directory / "mine.md");
  {
    Player player;
    player.app().files().opening.open(directory / "mine.md");
    player.settle();
    CHECK(player.app().view().mode == Mode::Lessons);
    CHECK(player.state().name == (directory / "mine.md").native());
    CHECK(player.document() == player.of_step(0));
  }
  // A broken lesson is refused with line and reason, and the window keeps working.
  std::filesystem::resize_file(directory / "mine.md", 200);
  Player other;
  other.app().files().opening.open(directory / "mine.md");
  other.settle();
  CHECK(other.app().message().find("mine.md:") != std::string::npos);
  CHECK(other.app().view().mode == Mode::Explore);
}

TEST_CASE("in front of a room everything is large and nothing else is there",
          "[lessons][lesson_player][presenter]") {
  Player player({.width = 1920, .height = 1080});
  player.open(fourth);
  player.app().lessons().go_to({fourth, 3});
  player.settle();
  const float scale = player.app().view().scale;
  player.press(ImGuiKey_F5);
  REQUIRE(player.app().view().presenter->on);
  CHECK_FALSE(player.has("Find"));
  CHECK_FALSE(player.has("Free play"));
  CHECK(player.says("F5"));
  for (const PlacedText& text : texts_of(player)) {
    INFO(text.text);
    CHECK(text.y1 - text.y0 >= 13.8f);  // of the built-in font's capitals, which are .58 of an em of 24
  }
  CHECK(player.app().view().scale == scale);  // the window's own scale is unchanged
  player.press(ImGuiKey_PageDown);
  CHECK(player.state().step == 4);
  player.press(ImGuiKey_PageUp);
  CHECK(player.state().step == 3);

  player.press(ImGuiKey_P);
  player.drag({300, 300}, {600, 500}, 5);
  REQUIRE(player.app().view().presenter->marks.size() == 1);
  CHECK(player.app().view().presenter->marks[0].points.size() >= 4);
  player.press(ImGuiKey_A);
  player.drag({700, 300}, {900, 500}, 5);
  REQUIRE(player.app().view().presenter->marks.size() == 2);
  CHECK(player.app().view().presenter->marks[1].points.size() == 2);
  player.press(ImGuiKey_W);
  player.click_at({400, 800});
  player.frame(2);
  player.type("see");
  player.key(ImGuiKey_Enter);
  player.settle();
  REQUIRE(player.app().view().presenter->marks.size() == 3);
  CHECK(player.app().view().presenter->marks[2].text == "see");
  CHECK(player.says("see"));
  CHECK(player.state().step == 3);
  player.press(ImGuiKey_C);
  CHECK(player.app().view().presenter->marks.empty());

  player.press(ImGuiKey_Escape);  // free play, with the whole window
  CHECK_FALSE(player.app().view().presenter->on);
  CHECK(player.app().view().mode == Mode::Explore);
  player.press(ImGuiKey_Escape);
  if (player.app().view().mode != Mode::Lessons) player.press(ImGuiKey_Escape);
  CHECK(player.app().view().presenter->on);
  player.press(ImGuiKey_F5);
  CHECK_FALSE(player.app().view().presenter->on);
}

}  // namespace attnscope::lesson_player_test
