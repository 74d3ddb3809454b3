// The list of strong lines beside a long map, and the ends of its colour bar.
#include <cmath>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "app/kit/ui/number_format.hpp"
#include "app/long_robot.hpp"
#include "app/state/regions/focus_state.hpp"
#include "app/state/regions/stage_look.hpp"
#include "core/engine/strong_lines.hpp"

namespace attnscope::long_lines_test {

using namespace attnscope::test;

namespace {

std::vector<StrongLine> lines_of(LongRobot& l, std::int64_t h) {
  ThreadPool pool(1);
  return strong_lines(l.survey(), h, {pool, {}});
}

/// Without the division by √dₖ the heads built by hand are sharp.
void sharpen(LongRobot& l) {
  l.robot.key(ImGuiKey_S);
  l.robot.settle();
  REQUIRE(l.result().is_complete());
}

}  // namespace

TEST_CASE("strong lines of a long head are listed with their share, and a click goes there", "[bright]") {
  LongRobot l;
  Robot& robot = l.robot;
  sharpen(l);
  const auto previous = lines_of(l, 0);
  REQUIRE_FALSE(previous.empty());
  CHECK(previous[0].kind == StrongLine::Kind::Diagonal);
  CHECK(previous[0].at == 1);
  REQUIRE(robot.has("Strong line 0"));
  CHECK(shows(robot, "previous token"));
  CHECK(shows(robot, fixed(100 * previous[0].share, previous[0].share >= 0.0995 ? 0 : 1) + " %"));
  robot.click("Strong line 0");
  robot.settle();
  const Cell there = robot.app().selection().cell;
  CHECK(there.key == there.query - 1);
  for (const std::string& sentence : collisions(texts_of(robot))) FAIL_CHECK(sentence);

  robot.click("Head 1");  // first token
  robot.settle();
  const auto first = lines_of(l, 1);
  REQUIRE_FALSE(first.empty());
  CHECK(first[0].kind == StrongLine::Kind::Column);
  robot.click("Strong line 0");
  robot.settle();
  CHECK(robot.app().selection().cell.key == first[0].at);

  robot.click("Head 4");  // diffuse
  robot.settle();
  CHECK(lines_of(l, 4).empty());
  CHECK_FALSE(robot.has("Strong line 0"));
  CHECK(shows(robot, "None: no key"));
}

TEST_CASE("the line under the mouse is drawn on the map, and only then", "[bright]") {
  LongRobot l;
  Robot& robot = l.robot;
  sharpen(l);
  robot.leave();
  robot.settle();
  const Image before = robot.pixels();
  const ImVec2 place = robot.centre("Strong line 0");
  robot.move(place);
  robot.settle();
  const Image hovered = robot.pixels();
  const ImVec2 map = robot.centre("long map");
  bool changed = false;  // along the middle row of the map
  for (int x = static_cast<int>(map.x) - 250; x < static_cast<int>(map.x) + 250; ++x)
    changed |= before.at(x, static_cast<int>(map.y)) != hovered.at(x, static_cast<int>(map.y));
  CHECK(changed);
  robot.leave();
  robot.settle();
  CHECK(robot.pixels() == before);
}

TEST_CASE("the ends of a long map's colours can be dragged, lock the range and go back", "[bright]") {
  LongRobot l;
  Robot& robot = l.robot;
  const ViewState& view = robot.app().view();
  REQUIRE(focus_of(view).log);
  robot.app().view().notices.clear();  // the notice of opening it
  CHECK(stage_look_of(view).range == RangeMode::All);
  robot.leave();
  robot.settle();
  const Image before = robot.pixels();
  const ImVec2 low = robot.centre("Range low end"), high = robot.centre("Range high end");
  const float fifth = (high.x - low.x) / 5;  // a decade of 10⁻⁵ … 1
  robot.drag(low, {low.x + 2 * fifth, low.y}, 8);
  robot.leave();
  robot.settle();
  CHECK(stage_look_of(view).range == RangeMode::Lock);
  CHECK(std::abs(std::log10(stage_look_of(view).locked_range[0]) + 3) < 0.1f);
  CHECK(std::abs(stage_look_of(view).locked_range[1] - 1) < 1e-6f);
  CHECK_FALSE(robot.pixels() == before);
  CHECK(robot.has("Range low end"));
  CHECK(std::abs(robot.centre("Range low end").x - low.x) < 3);  // the axis ends there now

  const ImVec2 end = robot.centre("Range high end");
  robot.drag(end, {end.x - 9 * fifth, end.y}, 8);  // it stops at the other end
  robot.settle();
  CHECK(stage_look_of(view).locked_range[1] > stage_look_of(view).locked_range[0]);
  robot.click("Range low end");
  robot.click("Range low end");  // a double click
  robot.settle();
  CHECK(stage_look_of(view).range == RangeMode::All);

  robot.click("Range: Head");
  robot.settle();
  CHECK(stage_look_of(view).range == RangeMode::Head);
  float most = 0;
  for (const float weight : l.survey().known.largest.matrix().row(0)) most = std::max(most, weight);
  if (most < 0.995f) CHECK(shows(robot, tight(static_cast<double>(most))));
  robot.key(ImGuiKey_L);
  robot.settle();
  CHECK_FALSE(focus_of(view).log);
  CHECK(shows(robot, "range"));
}

}  // namespace attnscope::long_lines_test
