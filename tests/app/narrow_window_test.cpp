// A window below 1280 logical pixels: the inspector is a drawer over the picture, and in a low window the
// signals are one line of titles.
#include <string>
#include <utility>

#include <catch2/catch_test_macros.hpp>

#include "app/lesson_robot.hpp"
#include "app/state/regions/inspector_state.hpp"
#include "app/state/regions/layout.hpp"
#include "app/state/regions/regions_state.hpp"
#include "robot/layout.hpp"
#include "robot/robot.hpp"

namespace attnscope::narrow_window_test {

namespace {

Layout layout_now(Robot& robot) {
  return compute_layout(static_cast<float>(robot.width()), static_cast<float>(robot.height()),
                        robot.app().view(), 1);
}

}  // namespace

TEST_CASE("in a narrow window the inspector is a drawer that key, tab and Esc move") {
  Robot robot({.width = 1100, .height = 720});
  robot.settle();
  CHECK_FALSE(robot.has("Pin"));
  const float focus = layout_now(robot).focus.w;
  CHECK(focus > 600);
  robot.key(ImGuiKey_5);
  robot.settle();
  CHECK(robot.has("Pin"));
  CHECK(layout_now(robot).focus.w == focus);  // over the picture, not beside it
  robot.key(ImGuiKey_Escape);
  robot.settle();
  CHECK_FALSE(robot.has("Pin"));
  CHECK(robot.app().selection().locked);  // Esc closed the drawer and nothing else
  robot.click("Inspector drawer");
  robot.settle();
  CHECK(robot.has("Pin"));
  robot.click("Inspector drawer");
  robot.settle();
  CHECK_FALSE(robot.has("Pin"));
}

TEST_CASE("what lies under the drawer is out of the mouse's reach, and the drawer's own controls work") {
  Robot robot({.width = 1000, .height = 720});
  robot.settle();
  robot.key(ImGuiKey_5);
  robot.settle();
  const Layout layout = layout_now(robot);
  REQUIRE(layout.drawer);
  REQUIRE(layout.inspector.x < layout.focus.right());
  const Cell before = robot.app().selection().cell;
  // Somewhere empty in the drawer, with the map below it.
  robot.click_at({layout.inspector.x + 4, layout.inspector.bottom() - 4});
  robot.settle();
  CHECK(robot.app().selection().cell == before);
  CHECK_FALSE(robot.app().selection().hovered_cell);
  robot.key(ImGuiKey_K);
  robot.settle();
  CHECK(inspector_of(robot.app().view()).page == InspectorPage::Row);
  robot.click("Pin");
  robot.settle();
  CHECK(inspector_of(robot.app().view()).pinned);
}

TEST_CASE(
    "a wide window takes the drawer's inspector beside the focus, and a narrow one forgets no splitter") {
  Robot robot({.width = 1300, .height = 720});
  robot.settle();
  CHECK(robot.has("Pin"));
  CHECK_FALSE(robot.has("Inspector drawer"));
  regions_of(robot.app().view()).sizes.inspector = 300;
  robot.resize(1000, 720);
  robot.settle();
  CHECK_FALSE(robot.has("Pin"));
  robot.key(ImGuiKey_5);
  robot.settle();
  CHECK(layout_now(robot).inspector.w == 300);
  CHECK_FALSE(regions_of(robot.app().view()).is_hidden(Region::Inspector));
}

TEST_CASE("where the window is low the signals fold to their titles and numbers") {
  Robot robot({.width = 1100, .height = 420});
  robot.settle();
  const Layout layout = layout_now(robot);
  REQUIRE(layout.folded);
  CHECK(shows(robot, "Entropy per row"));
  CHECK(shows(robot, "nats"));
  CHECK_FALSE(robot.has("split signals"));
  robot.resize(1100, 800);
  robot.settle();
  CHECK_FALSE(layout_now(robot).folded);
  CHECK(robot.has("split signals"));
}

TEST_CASE("a lesson has a picture in a window of any size") {
  test::Player robot;
  robot.open("04-why-divide");
  for (const auto& [width, height] :
       {std::pair{90, 1200}, {2000, 90}, {320, 240}, {1, 1}, {200, 2000}, {1280, 720}}) {
    INFO(width << " x " << height);
    robot.resize(width, height);
    robot.frame(2);
    CHECK(robot.app().view().notices.empty());
  }
}

}  // namespace attnscope::narrow_window_test
