// Lines between tokens: which of the kept weights are drawn.
#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include <catch2/catch_test_macros.hpp>

#include "app/controls_robot.hpp"
#include "app/kit/ui/ui.hpp"
#include "app/state/regions/focus_state.hpp"
#include "app/state/regions/stage_look.hpp"

namespace attnscope::lines_test {

using namespace attnscope::test;

namespace {

float distance_to(Rgba a, Rgba b) {
  float sum = 0;
  for (const int shift : {0, 8, 16})
    sum += std::abs(static_cast<float>(a >> shift & 255) - static_cast<float>(b >> shift & 255));
  return sum;
}

/// How much the pixels near the middle of the straight line between two tokens differ from the ground.
float seen_between(Robot& robot, const Image& image, int query, int key, float share = 0.5f) {
  const RecordedItem* from = robot.items().find("line query " + std::to_string(query));
  const RecordedItem* to = robot.items().find("line key " + std::to_string(key));
  REQUIRE(from);
  REQUIRE(to);
  const float x0 = from->max.x, y0 = (from->min.y + from->max.y) / 2;
  const float x1 = to->min.x, y1 = (to->min.y + to->max.y) / 2;
  const int x = static_cast<int>(x0 + (x1 - x0) * share), y = static_cast<int>(y0 + (y1 - y0) * share);
  float most = 0;
  for (int dy = -1; dy <= 1; ++dy)
    most = std::max(most, distance_to(image.at(x, y + dy), theme(ThemeName::Dark).picture));
  return most;
}

}  // namespace

TEST_CASE("G shows the weights as lines, and the stage follows") {
  Robot robot({.width = 1600, .height = 1000});
  click(robot, "Stage: Scores");
  robot.key(ImGuiKey_G);
  robot.settle();
  const ViewState& view = robot.app().view();
  CHECK(focus_of(view).lines);
  CHECK(stage_look_of(view).stage == Stage::Softmax);
  CHECK(robot.has("lines"));
  CHECK_FALSE(robot.has("heatmap 0"));
  click(robot, "Stage: Scaled");  // lines are weights
  CHECK_FALSE(focus_of(view).lines);
  CHECK(robot.has("heatmap 0"));
  click(robot, "Picture: Lines");
  CHECK(focus_of(view).lines);
  click(robot, "Picture: Map");
  CHECK_FALSE(focus_of(view).lines);
}

TEST_CASE("a line stands for every weight that is kept and for no masked one") {
  Robot robot({.width = 1600, .height = 1000});
  robot.key(ImGuiKey_G);
  robot.type_number("Mass value", "100");
  CHECK(focus_of(robot.app().view()).mass == 1);
  const auto weights = shown(robot).trace[Stage::Softmax]->matrix(0, robot.app().selection().head);
  // One query at a time, so that no other line crosses the tested place.
  for (int query = 0; query < 6; ++query) {
    robot.move(robot.centre("line query " + std::to_string(query)));
    robot.frame(2);
    CHECK(robot.app().selection().hovered_cell->query == query);
    const Image image = robot.pixels();
    for (int key = 0; key < 6; ++key) {
      INFO(query << " to " << key);
      const float seen = seen_between(robot, image, query, key, 0.9f);
      if (key > query) CHECK(seen == 0);
      if (key <= query && weights(query, key) > 0.02f) CHECK(seen > 20);
    }
  }
  // A smaller share drops the weaker lines.
  robot.type_number("Mass value", "10");
  robot.move(robot.centre("line query 5"));
  robot.frame(2);
  const Image image = robot.pixels();
  int lines = 0;
  for (int key = 0; key < 6; ++key) lines += seen_between(robot, image, 5, key, 0.9f) > 0;
  CHECK(lines == 1);
}

TEST_CASE("a click on a token of the lines chooses the query or the key") {
  Robot robot({.width = 1600, .height = 1000});
  robot.key(ImGuiKey_G);
  robot.frame(2);
  robot.click("line query 4");
  robot.click("line key 0");
  robot.frame(2);
  CHECK(robot.app().selection().cell == Cell{4, 0});
  CHECK(robot.app().selection().locked);
  const ImVec2 knob = robot.centre("Mass");
  robot.drag(knob, {knob.x + 60, knob.y});
  CHECK(focus_of(robot.app().view()).mass > 0.55f);
  robot.leave();
  robot.frame(2);
  const Image one = robot.pixels();
  click(robot, "Lines of: All heads");
  CHECK(focus_of(robot.app().view()).all_heads);
  robot.leave();
  robot.frame(2);
  CHECK((robot.pixels() != one));
  click(robot, "Lines of: This head");
  CHECK_FALSE(focus_of(robot.app().view()).all_heads);
}

TEST_CASE("long texts scroll between their lines") {
  Robot robot({.width = 1600,
               .height = 1000,
               .file = std::filesystem::path(ATTNSCOPE_ASSETS) / "examples" / "4-a-longer-text.json"});
  robot.key(ImGuiKey_G);
  robot.frame(2);
  CHECK(robot.has("line query 0"));
  CHECK_FALSE(robot.has("line query 60"));
  robot.move(robot.centre("lines"));
  for (int i = 0; i < 4; ++i) robot.scroll(-1);
  robot.frame(2);
  CHECK(focus_of(robot.app().view()).line_row == 12);
  CHECK_FALSE(robot.has("line query 0"));
  const RecordedItem* bar = robot.items().find("lines scroll");
  REQUIRE(bar);
  const ImVec2 top{(bar->min.x + bar->max.x) / 2, bar->min.y + 40}, bottom{top.x, bar->max.y + 50};
  robot.drag(top, bottom, 8);
  robot.frame(2);
  CHECK(robot.has("line query 67"));
  // The arrow keys bring the chosen query back into sight.
  robot.leave();
  robot.key(ImGuiKey_DownArrow);
  robot.frame(2);
  CHECK(robot.has("line query " + std::to_string(robot.app().selection().cell.query)));
}

}  // namespace attnscope::lines_test
