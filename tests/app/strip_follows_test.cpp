// The token strip of a text that is too long for it scrolls to the row under the mouse; the field of such a
// text takes the room that there is.
#include <string>
#include <utility>

#include <catch2/catch_test_macros.hpp>

#include "app/compare_robot.hpp"

namespace attnscope::strip_follows_test {

using namespace attnscope::test;

namespace {

/// A robot with a text of which the strip shows a part, the mouse outside.
struct BeforeLongText : Robot {
  BeforeLongText() : Robot({.width = 1600, .height = 1000}) {
    std::string text;
    for (int i = 0; i < 40; ++i) text += "word" + std::to_string(i) + " ";
    retype("##Text", text);
    key(ImGuiKey_Enter);
    settle();
    leave();
    frame(2);
    REQUIRE(shown(*this).dimensions.queries == 40);
    REQUIRE(has("token 0"));
    REQUIRE_FALSE(has("token 30"));
  }
  void hover(Cell cell) {
    move(cell_on(*this, "heatmap 0", cell, 40));
    frame(2);
    REQUIRE(app().selection().hovered_cell == cell);
  }
};

}  // namespace

TEST_CASE("the strip follows the row under the mouse, and stands again where it stood") {
  BeforeLongText robot;
  for (const std::int64_t query : {30, 35, 39}) {
    robot.hover({query, 3});
    INFO(query);
    CHECK(robot.has("token " + std::to_string(query)));
    CHECK_FALSE(robot.has("token 0"));
  }
  robot.hover({1, 1});  // already in sight: the strip does not scroll
  CHECK(robot.has("token 0"));
  robot.leave();
  robot.frame(2);
  CHECK(robot.has("token 0"));
  CHECK_FALSE(robot.has("token 30"));

  robot.move(robot.centre("token 2"));
  for (int i = 0; i < 10; ++i) robot.scroll(-1);
  robot.frame();
  REQUIRE(robot.has("token 21"));
  REQUIRE_FALSE(robot.has("token 2"));
  robot.hover({2, 1});
  CHECK(robot.has("token 2"));
  CHECK_FALSE(robot.has("token 21"));
  robot.leave();
  robot.frame(2);
  CHECK(robot.has("token 21"));  // where the wheel left it
  CHECK_FALSE(robot.has("token 2"));
}

TEST_CASE("in the other direction the strip follows the column under the mouse") {
  BeforeLongText robot;
  robot.key(ImGuiKey_D);
  robot.settle();
  robot.hover({38, 33});
  CHECK(robot.has("token 33"));
  robot.leave();
  robot.frame(2);
  CHECK_FALSE(robot.has("token 33"));
}

TEST_CASE("a click on what the strip was scrolled to leaves it there") {
  BeforeLongText robot;
  robot.hover({35, 3});
  const ImVec2 chip = robot.centre("token 35");
  robot.click_at(cell_on(robot, "heatmap 0", {35, 3}, 40));
  robot.leave();
  robot.frame(2);
  REQUIRE(robot.app().selection().cell == Cell{35, 3});
  REQUIRE(robot.has("token 35"));
  CHECK(robot.centre("token 35").x == chip.x);
}

TEST_CASE("a field is as wide for a text of which only the beginning is measured") {
  Robot robot({.width = 1600, .height = 1000});
  const auto widths = [&](int words) {
    std::string text = "a";  // so that byte 2,048 is within a letter
    for (int i = 0; i < words; ++i) {
      for (int letter = 0; letter < 50; ++letter) text += "ä";
      text += " ";
    }
    robot.retype("##Text", text);
    const auto width = [&] {
      const RecordedItem* field = robot.items().find("##Text");
      REQUIRE(field != nullptr);
      return field->max.x - field->min.x;
    };
    const float typed = width();
    robot.key(ImGuiKey_Enter);
    robot.settle();
    return std::pair{typed, width()};
  };
  const auto measured = widths(15), of_beginning = widths(30);
  CHECK(measured.first > 800);  // as wide as it gets
  CHECK(of_beginning == measured);
}

}  // namespace attnscope::strip_follows_test
