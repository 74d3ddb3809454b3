// The map is the last region to shrink: it is in sight at every size and scale, and the largest region if
// there is room.
#include <algorithm>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "app/compare_robot.hpp"
#include "app/state/regions/layout.hpp"
#include "app/state/regions/regions_state.hpp"
#include "app/state/regions/stage_look.hpp"
#include "robot/layout.hpp"

namespace attnscope::give_way_test {

using test::item;

namespace {

ImVec2 map_size(Robot& robot) {
  const RecordedItem& map = item(robot, "heatmap 0");
  return {map.max.x - map.min.x, map.max.y - map.min.y};
}

}  // namespace

TEST_CASE("the map is in sight at every scale and size") {
  struct Screen {
    int width, height;
    float scale, least;  // pixels that its side has at least
  };
  for (const Screen& s : {Screen{1600, 960, 3, 300},
                          {1600, 960, 2, 260},
                          {1280, 720, 2, 200},
                          {1280, 720, 1.5f, 220},
                          {1280, 720, 1, 240},  // with three plots below it
                          {1600, 1000, 1, 380},
                          {800, 600, 1, 200},
                          {640, 360, 1, 120},
                          {3840, 2160, 3, 720}}) {
    INFO(s.width << "x" << s.height << " at " << s.scale);
    Robot robot({.width = s.width, .height = s.height, .scale = s.scale});
    robot.settle();
    const ImVec2 map = map_size(robot);
    CHECK(map.x >= s.least);
    CHECK(map.y >= s.least);
  }
}

TEST_CASE("at 1280 by 720 three plots stand below the map, at every scale") {
  struct Screen {
    int width, height;
    float scale;
  };
  for (const Screen& s : {Screen{1280, 720, 1}, {1920, 1080, 1.5f}, {2560, 1440, 2}}) {
    INFO(s.width << "x" << s.height << " at " << s.scale);
    Robot robot({.width = s.width, .height = s.height, .scale = s.scale});
    robot.settle();
    for (const char* plot : {"entropy per row", "scores", "against time"}) {
      INFO(plot);
      const RecordedItem& area = item(robot, plot);
      CHECK(area.max.x - area.min.x >= 200 * s.scale);
      CHECK(area.max.y - area.min.y >= 56 * s.scale);
    }
    CHECK(map_size(robot).y >= 240 * s.scale);
    for (const char* language : {"en", "de"}) {
      robot.app().view().language = language;
      robot.settle();
      for (const std::string& sentence : collisions(texts_of(robot))) FAIL_CHECK(sentence);
    }
  }
}

TEST_CASE("in a lower window the plots are folded, a click opens them, a double click folds them again") {
  Robot robot({.width = 1280, .height = 690});
  robot.settle();
  CHECK_FALSE(robot.has("split signals"));
  const ImVec2 large = map_size(robot);
  CHECK(large.x > 300);
  robot.click("Plot 1");
  robot.settle();
  REQUIRE(robot.has("split signals"));
  CHECK(map_size(robot).y < large.y);
  CHECK(regions_of(robot.app().view()).sizes.signals == usual_signals(true));
  const ImVec2 edge = robot.centre("split signals");
  robot.click_at(edge);
  robot.click_at(edge);
  robot.settle();
  CHECK_FALSE(robot.has("split signals"));
  CHECK(map_size(robot).y == large.y);
}

TEST_CASE("signals, heads, inspector give way in this order") {
  const ViewState view;
  const auto at = [&](float width, float height) { return compute_layout(width, height, view, 1); };
  CHECK_FALSE(at(1280, 900).folded);
  CHECK(at(1280, 900).signals.h == usual_signals(true));
  CHECK_FALSE(at(1280, 720).folded);
  CHECK(at(1280, 720).signals.h < usual_signals(true));
  CHECK(at(1280, 720).focus.h == at(1280, 730).focus.h);  // the plots alone get lower
  CHECK(at(1280, 690).folded);
  CHECK(at(1279, 720).folded);  // where the inspector is a drawer
  CHECK(at(1280, 720).heads.w > 0);
  CHECK(at(720, 720).heads.w > 0);
  CHECK(at(640, 720).heads.w == 0);
  CHECK(at(640, 720).controls.w > 0);
  CHECK(at(320, 720).controls.w == 0);
  CHECK(at(1280, 320).strip.h == 0);
  ViewState wide = view;
  regions_of(wide).sizes = {480, 640, 640, 0};  // everything dragged as far as it goes
  const Layout crowded = compute_layout(1400, 1000, wide, 1);
  CHECK(crowded.heads.w == 0);
  CHECK(crowded.tab.w > 0);  // then the inspector is a drawer
  CHECK(crowded.focus.w > 800);
}

TEST_CASE("a narrow title keeps every plane in its list") {
  Robot robot({.width = 1600, .height = 960, .scale = 3});
  robot.settle();
  CHECK_FALSE(robot.has("Stage: Scores"));
  robot.click("Other stages");
  robot.frame(2);
  robot.click("Scaled logits");
  robot.settle();
  CHECK(stage_look_of(robot.app().view()).stage == Plane(Stage::Scale));
}

}  // namespace attnscope::give_way_test
