// The lesson on a vision model: the page does not answer its questions, and its maps are large enough for the
// back of a room.
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "app/kit/ui/number_format.hpp"
#include "app/lesson_robot.hpp"

namespace attnscope::lesson_picture_test {
namespace {

using test::Player;

const std::string picture_lesson = "28-a-vit-looks-at-patches";

}  // namespace

TEST_CASE("a head's map is large enough to be read where a low room is presented to",
          "[lessons][lesson_picture]") {
  Player player({.width = 1280, .height = 720});
  player.app().lessons().go_to({picture_lesson, 0});
  player.settle();
  player.press(ImGuiKey_F5);
  REQUIRE(player.lesson().lesson.steps.size() == 9);
  for (std::int64_t step = 0; step < 9; ++step) {
    INFO("step " << step + 1);
    player.app().lessons().go_to({picture_lesson, step});
    player.settle();
    if (player.step().question) player.press(ImGuiKey_R);
    const RecordedItem* const map = player.items().find("model map 0");
    REQUIRE(map != nullptr);
    CHECK(map->max.y - map->min.y >= 90);  // it was 50, or nothing
    CHECK(map->max.x - map->min.x >= 90);
  }
}

TEST_CASE("the picture stays in sight while the question on it is open", "[lessons][lesson_picture]") {
  Player player({.width = 1280, .height = 720});
  player.app().lessons().go_to({picture_lesson, 3});
  player.settle();
  CHECK(player.says("lifts the lid"));
  REQUIRE(player.items().find("picture patches") != nullptr);
  CHECK_FALSE(player.says("head 1.0"));
  CHECK(player.collides() == "");
  player.press(ImGuiKey_R);
  CHECK(player.says("head 1.0"));
}

TEST_CASE("what the picture's first question asks does not stand beside it", "[lessons][lesson_picture]") {
  Player player({.width = 1600, .height = 1000});
  player.app().lessons().go_to({picture_lesson, 0});
  player.settle();
  // The number of keys of a row is on screen; the question is about the tokens of another model.
  const std::string keys = std::to_string(player.app().shown()->layer().dimensions.keys);
  for (const lessons::Choice& choice :
       std::get<lessons::ChooseQuestion>(player.step().question->kind).choices)
    for (const lessons::Piece& piece : choice.prose)
      CHECK_FALSE((piece.number ? fixed(piece.number->evaluate({}), 0) : piece.text).starts_with(keys));
}

}  // namespace attnscope::lesson_picture_test
