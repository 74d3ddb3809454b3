// Around the views: modes, splitters, the look menu, the help page, the times of every stage, and the state
// that is held as B.
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "app/scene/actions.hpp"
#include "app/state/regions/layout.hpp"
#include "app/state/regions/regions_state.hpp"
#include "app/state/regions/stage_look.hpp"
#include "controls_robot.hpp"

namespace attnscope::shell_test {

using test::choose;

namespace {

const RobotOptions wide{.width = 1600, .height = 1000};

/// Where a region ends: the place of a splitter.
float place_of(Robot& robot, std::string_view splitter, bool upright = true) {
  const ImVec2 at = robot.centre(splitter);
  return upright ? at.x : at.y;
}

}  // namespace

TEST_CASE("the modes change by click and by key, and come back") {
  Robot robot(wide);
  robot.settle();
  robot.key(ImGuiKey_4);  // the trace against time changes with every frame
  robot.leave();
  robot.frame(2);
  const Image explore = robot.pixels();
  robot.click("Mode: Walk");
  CHECK(robot.app().view().mode == Mode::Walk);
  CHECK_FALSE(robot.has("heatmap 0"));
  robot.key(ImGuiKey_F4);
  CHECK(robot.app().view().mode == Mode::Compare);
  robot.key(ImGuiKey_F2);
  robot.leave();
  robot.frame(2);
  CHECK(robot.app().view().mode == Mode::Explore);
  CHECK(robot.pixels() == explore);
}

TEST_CASE("splitters give regions room within limits and a double click gives the usual size back") {
  Robot robot(wide);
  robot.settle();
  const struct {
    const char* name;
    bool upright;
    float RegionSizes::*size;
    float by;  // towards more room
  } edges[] = {{"split controls", true, &RegionSizes::controls, 60},
               {"split heads", true, &RegionSizes::heads, 60},
               {"split inspector", true, &RegionSizes::inspector, -60},
               {"split signals", false, &RegionSizes::signals, -60}};
  for (const auto& edge : edges) {
    INFO(edge.name);
    const float usual = place_of(robot, edge.name, edge.upright);
    const ImVec2 from = robot.centre(edge.name);
    const ImVec2 by{edge.upright ? edge.by : 0, edge.upright ? 0 : edge.by};
    robot.drag(from, {from.x + by.x, from.y + by.y});
    robot.frame(2);
    CHECK(std::abs(place_of(robot, edge.name, edge.upright) - usual - edge.by) < 2);
    CHECK(regions_of(robot.app().view()).sizes.*edge.size > 0);
    const ImVec2 now = robot.centre(edge.name);
    robot.drag(now, {now.x + 30 * by.x, now.y + 30 * by.y});  // far beyond the limit: it holds
    robot.frame(2);
    CHECK(regions_of(robot.app().view()).sizes.*edge.size <= 640);
    const ImVec2 end = robot.centre(edge.name);
    robot.click_at(end);
    robot.press();
    robot.release();
    robot.frame(2);
    CHECK(place_of(robot, edge.name, edge.upright) == usual);
  }
  CHECK(regions_of(robot.app().view()).sizes == RegionSizes{});
}

TEST_CASE("number keys hide the regions and bring them back") {
  Robot robot(wide);
  robot.settle();
  const std::pair<ImGuiKey, const char*> regions[] = {{ImGuiKey_1, "token 1"},
                                                      {ImGuiKey_2, "split controls"},
                                                      {ImGuiKey_3, "split heads"},
                                                      {ImGuiKey_4, "split signals"},
                                                      {ImGuiKey_5, "split inspector"}};
  for (const auto& [key, part] : regions) {
    REQUIRE(robot.has(part));
    robot.key(key);
    robot.frame(2);
    CHECK_FALSE(robot.has(part));
    robot.key(key);
    robot.frame(2);
    CHECK(robot.has(part));
  }
}

TEST_CASE("the look menu changes theme and size, inside the screen") {
  Robot robot(wide);
  robot.settle();
  choose(robot, "Look", "High contrast");
  CHECK(robot.app().view().theme == ThemeName::Contrast);
  choose(robot, "Look", "Size 150 %");
  CHECK(robot.app().view().scale == 1.5f);
  robot.click("Look");
  robot.frame(3);
  for (const char* row : {"Dark", "Keys and gestures"}) {
    const RecordedItem* item = robot.items().find(row);
    REQUIRE(item);
    CHECK(item->max.x <= 1600);
    CHECK(item->visible);
  }
  robot.key(ImGuiKey_Escape);
  robot.frame(2);
  for (int i = 0; i < 40; ++i) robot.key(ImGuiKey_Equal, ImGuiMod_Ctrl);
  CHECK(robot.app().view().scale == ViewState::most_scale);
  for (int i = 0; i < 80; ++i) robot.key(ImGuiKey_Minus, ImGuiMod_Ctrl);
  CHECK(robot.app().view().scale == ViewState::least_scale);
  robot.settle();
}

TEST_CASE("the help page opens and closes, and keeps clicks from what is under it") {
  Robot robot(wide);
  robot.settle();
  const Document document = robot.document();
  robot.key(ImGuiKey_F1);
  robot.frame(2);
  REQUIRE(robot.has("Close help"));
  robot.click_at(robot.centre("heatmap 0"));
  CHECK(robot.app().view().help);
  CHECK(robot.document() == document);
  robot.click("Close help");
  robot.frame(2);
  CHECK_FALSE(robot.app().view().help);
  robot.key(ImGuiKey_F1);
  robot.frame(2);
  robot.key(ImGuiKey_Escape);
  robot.frame(2);
  CHECK_FALSE(robot.app().view().help);
}

TEST_CASE("the times of every stage open from the backend's name") {
  Robot robot(wide);
  robot.settle();
  robot.click("Backend");
  robot.frame(2);
  CHECK(robot.app().view().timings);
  robot.click("Backend");
  CHECK_FALSE(robot.app().view().timings);
}

TEST_CASE("find opens the palette") {
  Robot robot(wide);
  robot.settle();
  robot.click("Find");
  robot.frame(3);
  CHECK(robot.has("##palette"));
}

TEST_CASE("what is held as B can be subtracted, swapped and let go") {
  Robot robot(wide);
  robot.settle();
  CHECK_FALSE(robot.app().held().held_result());
  robot.key(ImGuiKey_Slash);  // nothing is held yet: it says so
  CHECK_FALSE(robot.app().message().empty());
  robot.key(ImGuiKey_Escape);
  robot.key(ImGuiKey_Backslash);
  robot.settle();
  REQUIRE(robot.app().held().held_result());
  const Document b = robot.document();
  robot.key(ImGuiKey_S);
  robot.settle();
  const Document a = robot.document();
  robot.key(ImGuiKey_Slash);
  robot.settle();
  CHECK(stage_look_of(robot.app().view()).stage == Plane(Stage::Softmax, Plane::Kind::Difference));

  ResultStats stats(robot.app().shown());
  stats.compare_with(robot.app().held().held_result()->result);
  REQUIRE(stats.can_compare());
  for (const Stage stage : {Stage::Score, Stage::Scale, Stage::Softmax}) {
    const auto difference = stats.matrix(Plane(stage, Plane::Kind::Difference), 0, 3);
    const auto shown = robot.app().shown()->layer().trace[stage]->matrix(0, 3);
    const auto held = robot.app().held().held_result()->result->layer().trace[stage]->matrix(0, 3);
    for (Eigen::Index i = 0; i < shown.rows(); ++i)
      for (Eigen::Index j = 0; j < shown.cols(); ++j)
        CHECK(difference(i, j) == (shown(i, j) == held(i, j) ? 0 : shown(i, j) - held(i, j)));
  }
  robot.key(ImGuiKey_X);
  robot.settle();
  CHECK(robot.document() == b);
  CHECK(robot.app().held().held_result()->result->document == a);
  robot.key(ImGuiKey_X);
  robot.settle();
  CHECK(robot.document() == a);

  robot.retype("##Text", "Other words altogether, and more of them");  // sizes differ: no difference
  CHECK_FALSE(stage_look_of(robot.app().view()).stage.is_difference());
  robot.key(ImGuiKey_Escape);
  robot.key(ImGuiKey_Backslash, ImGuiMod_Shift);
  robot.settle();
}

}  // namespace attnscope::shell_test
