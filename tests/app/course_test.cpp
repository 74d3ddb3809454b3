// Courses are taken from stop to stop: where one is, the answers, pages, votes and the speaker's time.
#include "app/lessons/course.hpp"

#include <array>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include "app/lesson_robot.hpp"
#include "app/state/presenter_state.hpp"
#include "app/views/presenter/speaker_page.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::course_test {
namespace {

using Catch::Matchers::WithinAbs;
using test::Player;
using test::TemporaryDirectory;

const std::filesystem::path assets = ATTNSCOPE_ASSETS;
const std::string hour(first_course);

lessons::Course shipped() {
  return lessons::read_course(assets / "courses" / (hour + ".md"), assets / "lessons");
}

/// Takes the course of the program.
struct Taker : Player {
  explicit Taker(const RobotOptions& options = {.width = 1280, .height = 720}) : Player(options) {}
  void go(std::int64_t stop, bool anew = false) {
    app().lessons().go_to_stop({hour, stop, anew});
    settle();
  }
};

}  // namespace

TEST_CASE("Enter in the list of lessons goes to the course's first question, and Space on",
          "[lessons][course]") {
  Taker player({.width = 1600, .height = 1000});
  player.press(ImGuiKey_F8);
  CHECK(player.says("Attention in one hour"));
  CHECK(player.says("0 of 7 done"));
  player.press(ImGuiKey_Enter);
  CHECK(player.state().course == hour);
  CHECK(player.state().stop == 0);
  CHECK(player.state().name == "34-a-word-looks-back");
  REQUIRE(player.step().question);
  CHECK(player.says("It looks back"));
  CHECK(player.collides() == "");
  player.press(player.digit_of(1));
  player.press(ImGuiKey_R);
  CHECK(player.says("1 of 1 predictions right"));
  for (int i = 0; i < 3; ++i) player.press(ImGuiKey_Space);
  CHECK(player.state().stop == 3);
  CHECK(player.state().name == "01-three-tokens");
  CHECK(player.says("By hand"));
  for (int i = 0; i < 3; ++i) player.press(ImGuiKey_LeftArrow);
  CHECK(player.state().stop == 0);
  CHECK(player.state().answer.revealed);  // the answer stands as it was given
  CHECK(player.state().answer.chosen == 1);
  for (int i = 0; i < 3; ++i) player.press(ImGuiKey_Space);
  player.click("All lessons");
  player.settle();
  CHECK(player.state().course.empty());
  CHECK(player.says("1 of 7 done"));
  CHECK(player.says("Kept so far"));
  CHECK(player.says("1 of 1 right"));
  CHECK(player.says("at stop 1 of 5"));
  CHECK(player.collides() == "");
  player.press(ImGuiKey_Enter);
  CHECK(player.state().stop == 3);
}

TEST_CASE("a course stops at a page and comes back to its step, before a room as well", "[lessons][course]") {
  for (const bool presented : {false, true}) {
    INFO("presented " << presented);
    Taker player;
    player.go(6);
    const std::string before = player.step().title;
    if (presented) player.press(ImGuiKey_F5);
    // Before a room Page Down turns words that have no room first.
    for (int i = 0; i < 4 && player.app().view().mode != Mode::Walk; ++i)
      player.press(presented ? ImGuiKey_PageDown : ImGuiKey_Space);
    CHECK(player.app().view().mode == Mode::Walk);
    CHECK(player.state().stop == 7);
    CHECK(player.app().view().presenter->on == presented);
    if (!presented) CHECK(player.has("Back to the step"));
    for (int i = 0; i < 3 && player.app().view().mode != Mode::Lessons; ++i) player.press(ImGuiKey_Escape);
    REQUIRE(player.app().view().mode == Mode::Lessons);
    CHECK(player.app().view().presenter->on == presented);
    CHECK(player.step().title == before);
    CHECK(player.state().stop == 7);
    player.press(presented ? ImGuiKey_PageDown : ImGuiKey_Space);
    CHECK(player.state().stop == 8);
    CHECK(player.state().name == "04-why-divide");
    player.press(ImGuiKey_LeftArrow);  // the page's step
    CHECK(player.step().title == before);
    if (presented) player.press(ImGuiKey_F5);
  }
}

TEST_CASE("a chip leads back from free play to the step", "[lessons][course]") {
  Player player;
  player.app().lessons().go_to({"04-why-divide", 2});
  player.settle();
  CHECK_FALSE(player.has("Back to the step"));
  player.press(ImGuiKey_Escape);
  REQUIRE(player.app().view().mode == Mode::Explore);
  REQUIRE(player.has("Back to the step"));
  CHECK(player.collides() == "");
  player.click("Back to the step");
  player.settle();
  CHECK(player.app().view().mode == Mode::Lessons);
  CHECK(player.stands_at(2));
}

TEST_CASE("another lesson leaves the course, another step of its lesson does not", "[lessons][course]") {
  Taker player;
  player.go(8);
  REQUIRE(player.state().name == "04-why-divide");
  player.app().lessons().go_to({"04-why-divide", 8});
  player.settle();
  CHECK(player.state().course == hour);
  player.press(ImGuiKey_LeftArrow);  // back to the thread
  CHECK(player.state().step == 0);
  player.app().lessons().go_to({"04-why-divide", 3});  // a stop further on
  player.settle();
  CHECK(player.state().stop == 10);
  player.app().lessons().go_to({"10-reading-a-matrix", 0});
  player.settle();
  CHECK(player.state().course.empty());
  player.press(ImGuiKey_Space);
  CHECK(player.state().name == "10-reading-a-matrix");
}

TEST_CASE("how far a course was taken is kept, its end is told, and it begins anew", "[lessons][course]") {
  const TemporaryDirectory directory;
  const RobotOptions options{.width = 1600, .height = 1000, .state = directory / "state"};
  {
    Taker player(options);
    player.go(4);
    player.app().files().saving.save(directory / "course.json");
    player.go(2);
  }
  {
    Taker player(options);
    player.press(ImGuiKey_F8);
    CHECK(player.says("1 of 7 done"));
    player.app().files().opening.open(directory / "course.json");
    player.settle();
    CHECK(player.state().course == hour);
    CHECK(player.state().stop == 4);
    player.press(ImGuiKey_Space);
    CHECK(player.state().stop == 5);
    player.go(std::ssize(shipped().stops));
    CHECK(player.state().name.empty());
    CHECK(player.says("7 of 7 done"));
    CHECK(player.says("Once more"));
    CHECK(player.collides() == "");
    player.click("Restart the course");
    player.settle();
    CHECK(player.state().stop == 0);
    player.click("All lessons");
    player.settle();
    CHECK(player.says("0 of 7 done"));
  }
}

TEST_CASE("a course has room in windows of any size, in both languages and before a room",
          "[lessons][course]") {
  for (const auto& [width, height] : {std::pair{1024, 768}, {1280, 720}, {1600, 1000}, {1920, 1080}})
    for (const char* const language : {"en", "de"}) {
      INFO(width << " x " << height << " " << language);
      Taker player({.width = width, .height = height});
      player.app().view().language = language;
      player.go(9);
      CHECK(player.collides() == "");
      player.click("All lessons");
      player.settle();
      CHECK(player.collides() == "");
      player.press(ImGuiKey_F5);
      CHECK(player.collides() == "");
    }
}

TEST_CASE("a course's file opens like any other, if it is one of the program's", "[lessons][course]") {
  const TemporaryDirectory directory;
  {
    Taker player;
    player.app().files().opening.open(assets / "courses" / (hour + ".md"));
    player.settle();
    CHECK(player.state().course == hour);
    CHECK(player.state().stop == 0);
  }
  Taker other;
  std::filesystem::copy_file(assets / "courses" / (hour + ".md"), directory / "mine.md");
  other.app().files().opening.open(directory / "mine.md");
  other.settle();
  CHECK(other.app().message().find("assets/courses") != std::string::npos);
  CHECK(other.app().view().mode == Mode::Explore);
}

TEST_CASE("a class is asked twice, and both counts are shown after R", "[lessons][course]") {
  Player player({.width = 1600, .height = 1000});
  player.app().lessons().go_to({"04-why-divide", 3});
  player.settle();
  player.press(ImGuiKey_V, ImGuiMod_Shift);  // before a vote there is nothing to ask again
  CHECK_FALSE(player.state().answer.votes_before);
  player.press(ImGuiKey_V);
  for (const std::size_t choice : {0u, 1u, 1u}) player.press(player.digit_of(choice));
  CHECK(player.says("asks again"));
  player.press(ImGuiKey_V, ImGuiMod_Shift);
  REQUIRE(player.state().answer.votes_before);
  CHECK(*player.state().answer.votes_before == std::array<std::int64_t, 6>{1, 2, 0, 0, 0, 0});
  CHECK(player.state().answer.votes == std::array<std::int64_t, 6>{});
  for (const std::size_t choice : {3u, 3u, 3u, 1u}) player.press(player.digit_of(choice));
  CHECK(player.says("votes counted: 4"));
  CHECK(player.says("before: 3"));
  CHECK_FALSE(player.says("asks again"));
  CHECK(player.collides() == "");
  player.press(ImGuiKey_V, ImGuiMod_Shift);  // a third time it is not asked
  CHECK(player.state().answer.votes[3] == 3);
  player.press(ImGuiKey_R);
  CHECK(player.collides() == "");
}

TEST_CASE("the palette finds the course, by its chapters' words as well", "[lessons][course]") {
  for (const char* const words : {"Attention in one hour", "course hour", "looks back cat"}) {
    INFO(words);
    Taker player;
    player.key(ImGuiKey_K, ImGuiMod_Ctrl);
    player.frame(3);
    player.type(words);
    player.frame(2);
    CHECK(player.has("course " + hour));
    player.click("course " + hour);
    player.settle();
    CHECK(player.state().course == hour);
  }
}

TEST_CASE("the speaker's time is that of the plan from where presenting began", "[lessons][course]") {
  const lessons::Course course = shipped();
  const double whole = static_cast<double>(course.minutes());
  // Three stops share the first eight minutes.
  CourseTime time = course_time(course, 0, 0, 60);
  CHECK_THAT(time.left, WithinAbs(whole - 1, 1e-9));
  CHECK(time.behind == 0);
  time = course_time(course, 0, 0, 240);
  CHECK_THAT(time.behind, WithinAbs(4 - 8.0 / 3, 1e-9));
  time = course_time(course, 3, 0, 240);
  CHECK_THAT(time.behind, WithinAbs(-4, 1e-9));
  time = course_time(course, 3, 3, 0);  // begun in the second chapter
  CHECK_THAT(time.left, WithinAbs(whole - 8, 1e-9));
  CHECK(time.behind == 0);
}

}  // namespace attnscope::course_test
