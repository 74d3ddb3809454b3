// The regions of a model's screen: dragged by their edges, hidden by number keys, kept in the session.
#include <cmath>

#include <catch2/catch_test_macros.hpp>

#include "app/model_robot.hpp"
#include "app/pages/model/state/model_state.hpp"
#include "app/state/regions/regions_state.hpp"
#include "app/views/model/parts.hpp"

namespace attnscope::model_regions_test {
namespace {

using namespace attnscope::test;

struct Edge {
  const char* name;
  bool upright;
  float RegionSizes::*size;
  float by;  // towards more room
};
constexpr Edge edges[] = {{"split controls", true, &RegionSizes::controls, 40},
                          {"split head", true, &RegionSizes::model_head, -60},
                          {"split stream", false, &RegionSizes::model_stream, -60}};

float place_of(Robot& robot, const Edge& edge) {
  const ImVec2 at = robot.centre(edge.name);
  return edge.upright ? at.x : at.y;
}

void drag_by(Robot& robot, const Edge& edge, float by) {
  const ImVec2 from = robot.centre(edge.name);
  robot.drag(from, {from.x + (edge.upright ? by : 0), from.y + (edge.upright ? 0 : by)});
  robot.frame(2);
}

}  // namespace

TEST_CASE("the regions of a model are dragged within limits, a double click gives the usual size back",
          "[model]") {
  const TemporaryDirectory directory;
  Robot robot(with_letters(directory));
  for (const Edge& edge : edges) {
    INFO(edge.name);
    const float usual = place_of(robot, edge);
    drag_by(robot, edge, edge.by);
    CHECK(std::abs(place_of(robot, edge) - usual - edge.by) < 2);
    CHECK(regions_of(robot.app().view()).sizes.*edge.size > 0);
    drag_by(robot, edge, 40 * edge.by);  // far beyond the limit: the grid keeps its room
    const RecordedItem* const grid = robot.items().find("All heads");
    REQUIRE(grid != nullptr);
    CHECK(grid->max.x - grid->min.x > 240);
    CHECK(grid->max.y - grid->min.y > 120);
    robot.click_at(robot.centre(edge.name));
    robot.press();
    robot.release();
    robot.frame(2);
    CHECK(place_of(robot, edge) == usual);
  }
  CHECK(regions_of(robot.app().view()).sizes == RegionSizes{});
}

TEST_CASE("every screen of a model has the same edges, and its own sizes beside those of Explore",
          "[model]") {
  const TemporaryDirectory directory;
  Robot robot(with_letters(directory));
  type_text(robot, "ab c de a");
  drag_by(robot, edges[1], -50);
  drag_by(robot, edges[2], -40);
  const float head = place_of(robot, edges[1]), stream = place_of(robot, edges[2]);
  for (const char* screen : {"Grid: Atlas", "Grid: Patching"}) {
    INFO(screen);
    robot.click(screen);
    robot.settle();
    CHECK(place_of(robot, edges[1]) == head);
    CHECK(place_of(robot, edges[2]) == stream);
  }
  robot.click("Grid: Heads");
  robot.click("Why?");
  robot.settle();
  CHECK(place_of(robot, edges[1]) == head);
  robot.key(ImGuiKey_F2);
  robot.settle();
  const ImVec2 inspector = robot.centre("split inspector");
  CHECK(std::abs(inspector.x - (1600 - 368)) < 2);  // as usual
  CHECK_FALSE(robot.has("split head"));

  robot.key(ImGuiKey_F7);
  robot.settle();
  robot.app().files().saving.save(directory / "session.json");
  const RegionSizes kept = regions_of(robot.app().view()).sizes;
  regions_of(robot.app().view()).sizes = {};
  robot.app().files().opening.open(directory / "session.json");
  robot.settle();
  CHECK(regions_of(robot.app().view()).sizes == kept);
  CHECK(place_of(robot, edges[1]) == head);
}

TEST_CASE("number keys hide the regions of a model, in a narrow window too", "[model]") {
  const TemporaryDirectory directory;
  for (const auto& [width, height] : {std::pair{1600, 1000}, std::pair{1200, 760}}) {
    INFO(width);
    Robot robot(with_letters(directory, {.width = width, .height = height}));
    const std::pair<ImGuiKey, const char*> regions[] = {{ImGuiKey_1, "##Text"},
                                                        {ImGuiKey_2, "split controls"},
                                                        {ImGuiKey_4, "split stream"},
                                                        {ImGuiKey_5, "split head"}};
    for (const auto& [key, part] : regions) {
      INFO(part);
      REQUIRE(robot.has(part));
      robot.key(key);
      robot.frame(2);
      CHECK_FALSE(robot.has(part));
      CHECK(robot.has("All heads"));
      robot.key(key);
      robot.frame(2);
      CHECK(robot.has(part));
    }
  }
}

TEST_CASE("what was dragged wide in a large window leaves the grid its room in a small one", "[model]") {
  const TemporaryDirectory directory;
  Robot robot(with_letters(directory, {.width = 1280, .height = 720}));
  regions_of(robot.app().view()).sizes = {480, 0, 0, 0, 960, 1200};
  robot.settle();
  const RecordedItem* const grid = robot.items().find("All heads");
  REQUIRE(grid != nullptr);
  CHECK(grid->max.x - grid->min.x > 240);
  CHECK(grid->max.y - grid->min.y > 120);
  CHECK(robot.has("split head"));
}

}  // namespace attnscope::model_regions_test
