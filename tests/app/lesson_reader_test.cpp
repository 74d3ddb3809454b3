// A lesson on a model with an output for each token: its numbers are those of the step's row.
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "app/lesson_files.hpp"
#include "app/lesson_robot.hpp"
#include "core/engine/model/model_reading.hpp"

namespace attnscope::lesson_reader_test {
namespace {

using test::Player;

const std::string reader_lesson = "29-bank-in-a-trained-model";

}  // namespace

TEST_CASE("what the Reader names is that of the word that the step is about", "[lessons][lesson_reader]") {
  test::check_shipped_lesson(reader_lesson);

  Player player({.width = 1600, .height = 1000});
  player.app().lessons().go_to({reader_lesson, 0});
  player.settle();
  player.press(ImGuiKey_R);
  CHECK(player.says("of bank"));  // not of the first word
  CHECK_FALSE(player.says("of they"));
}

TEST_CASE("two heads that look at one word are muted by hand, and the word is lost",
          "[lessons][lesson_reader]") {
  Player player({.width = 1600, .height = 1000});
  player.app().lessons().go_to({reader_lesson, 3});
  player.settle();
  REQUIRE(player.step().done);
  player.press(ImGuiKey_R);
  CHECK_FALSE(player.state().reached.contains(3));
  player.click("head less");
  player.settle();
  player.click("Mute head");
  player.settle();
  CHECK(player.document().within.read().changes.heads.size() == 2);
  CHECK(player.state().reached.contains(3));
}

}  // namespace attnscope::lesson_reader_test
