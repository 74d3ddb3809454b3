// The chosen cell against time: traced values, freeze, time base and trigger.
#include <algorithm>
#include <cmath>

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "app/scene/actions.hpp"
#include "app/session/session_trace.hpp"
#include "app/signals_robot.hpp"
#include "core/edits/edits.hpp"
#include "robot/layout.hpp"

namespace attnscope::signals_trace_test {

using namespace attnscope::test;

TEST_CASE("the trace follows the chosen cell while a knob moves") {
  Robot robot(wide);
  const Cell cell = robot.app().selection().cell;
  const std::size_t start = scope(robot).moments().size();
  const ImVec2 knob = robot.centre("Temperature");
  robot.drag(knob, {knob.x + 40, knob.y}, 20);
  robot.settle();
  CHECK(scope(robot).moments().size() > start + 10);
  const Moment& last = scope(robot).moments().back();
  const LayerResult& r = shown(robot);
  CHECK(last.entropy == static_cast<float>(r.measures.row(0, 3, cell.query).entropy));
  CHECK(last.weight == r.trace[Stage::Softmax]->matrix(0, 3)(cell.query, cell.key));
  CHECK(std::abs(last.scale - 1 / std::sqrt(8.f)) < 1e-6f);
  CHECK(last.ceiling == std::log(3.f));
  for (std::size_t i = 1; i < scope(robot).moments().size(); ++i)
    CHECK(scope(robot).moments()[i].seconds > scope(robot).moments()[i - 1].seconds);
  // Another cell starts another trace.
  press_key(robot, ImGuiKey_DownArrow);
  CHECK(scope(robot).moments().size() == 1);
  CHECK(scope(robot).cell().query == cell.query + 1);
}

TEST_CASE("the axis of time says its unit, and that time stands where nothing moves") {
  Robot robot(wide);
  robot.settle();
  CHECK(shows(robot, "seconds in motion"));
}

TEST_CASE("a frozen trace stands still, and the window rests") {
  for (const bool by_key : {true, false}) {
    Robot robot(wide);
    const auto freeze = [&] {
      by_key ? robot.key(ImGuiKey_F) : robot.click("Freeze");
      robot.settle();
    };
    press_key(robot, ImGuiKey_S);
    freeze();
    REQUIRE(scope(robot).frozen());
    robot.leave();
    const std::size_t moments = scope(robot).moments().size();
    const double stop = scope(robot).trace_end(robot.app().view().now);
    const auto picture = part_of(robot, area_of(robot, "against time"));
    press_key(robot, ImGuiKey_C);
    press_key(robot, ImGuiKey_S);
    robot.leave();
    CHECK(scope(robot).moments().size() == moments);
    CHECK(scope(robot).trace_end(robot.app().view().now) == stop);
    CHECK_FALSE(robot.app().wants_frame());
    robot.frame(20);
    CHECK((part_of(robot, area_of(robot, "against time")) == picture));
    freeze();
    CHECK_FALSE(scope(robot).frozen());
    robot.frame();
    CHECK(scope(robot).moments().size() == moments + 2);  // the gap, and the current value
    CHECK_FALSE(robot.app().wants_frame());
  }
}

TEST_CASE("the time base is chosen, zoomed and fitted") {
  Robot robot(wide);
  click(robot, "Time base: 30");
  CHECK(signals(robot).seconds == 30);
  click(robot, "Time base: 4");
  CHECK(signals(robot).seconds == 4);
  const Area plot = area_of(robot, "against time");
  robot.move(plot.at(1, 0.8f));
  robot.move(plot.at(0.9f, 0.8f));
  robot.scroll(3);
  CHECK(std::abs(signals(robot).time_zoom.span() - 0.512f) < 1e-4f);
  robot.click_at(plot.at(0.5f, 0.8f));
  robot.click_at(plot.at(0.5f, 0.8f));
  CHECK(signals(robot).time_zoom.is_whole());
  robot.scroll(3);
  REQUIRE_FALSE(signals(robot).time_zoom.is_whole());
  click(robot, "Time base: 8");
  CHECK(signals(robot).time_zoom.is_whole());
}

TEST_CASE("an armed trigger freezes the trace around the crossing") {
  Robot robot(wide);
  click(robot, "Time base: 4");
  const double entropy = shown(robot).measures.row(0, 3, 2).entropy;  // about 0.85; 0.3 without the division
  REQUIRE((entropy > 0.7 && entropy < 1));
  CHECK_FALSE(robot.has("Trigger level"));
  click(robot, "Trigger");
  CHECK(scope(robot).state() == State::Armed);
  click(robot, "Trigger edge");
  CHECK(signals(robot).trigger.edge == Edge::Falling);
  const ImVec2 line = robot.centre("Trigger level");
  const float before = signals(robot).trigger.level;
  robot.drag(line, {line.x, line.y - 12}, 6);
  const float level = signals(robot).trigger.level;
  CHECK(level > before + 0.05f);
  REQUIRE(static_cast<double>(level) < entropy);
  CHECK(scope(robot).state() == State::Armed);

  press_key(robot, ImGuiKey_S);  // without the division the row puts its weight on fewer keys
  REQUIRE(shown(robot).measures.row(0, 3, 2).entropy < static_cast<double>(level));
  CHECK(scope(robot).state() == State::Triggered);
  const double crossing = *scope(robot).crossing();
  CHECK_FALSE(scope(robot).frozen());
  robot.frame(130);  // over two seconds: half of the time base
  REQUIRE(scope(robot).frozen());
  CHECK(std::abs(scope(robot).trace_end(0) - crossing - 2) < 1e-9);
  CHECK_FALSE(robot.app().wants_frame());
  const std::size_t moments = scope(robot).moments().size();
  press_key(robot, ImGuiKey_S);
  CHECK(scope(robot).moments().size() == moments);

  click(robot, "Trigger");  // again; the edge is the other one
  CHECK(scope(robot).state() == State::Armed);
  CHECK_FALSE(scope(robot).frozen());
  click(robot, "Trigger edge");
  CHECK(signals(robot).trigger.edge == Edge::Rising);
  press_key(robot, ImGuiKey_S);
  CHECK(scope(robot).state() == State::Armed);
  press_key(robot, ImGuiKey_S);
  CHECK(scope(robot).state() == State::Triggered);
  click(robot, "Trigger");
  click(robot, "Trigger");  // called off
  CHECK(scope(robot).state() == State::Off);
}

TEST_CASE("the trigger is armed by name as well") {
  Robot robot(wide);
  robot.key(ImGuiKey_K, ImGuiMod_Ctrl);
  robot.frame(2);
  robot.type("arm trigger");
  robot.key(ImGuiKey_Enter);
  robot.settle();
  CHECK(scope(robot).state() == State::Armed);
}

TEST_CASE("a session keeps the trace from what holds where its axis begins, and none of the future") {
  Oscilloscope scope;
  for (int second = 0; second <= 10; ++second)
    scope.observe({0, 1, 2, 1}, {static_cast<double>(second), static_cast<float>(second), 0.5f, 1, 2}, {},
                  3.5);
  const double start = scope.axis_end(10, 3.5) - 3.5;
  REQUIRE((start > 6 && start < 7));
  const KeptTrace trace = kept(scope, 10, 3.5);
  REQUIRE(trace.moments.size() == 5);
  CHECK(trace.moments.front().seconds == -4);
  CHECK(trace.moments.back().seconds == 0);
  nlohmann::json written = nlohmann::json::parse(to_json(trace).dump());  // as from a file
  KeptTrace read;
  CHECK(from_json(written, read));
  CHECK(read.moments.size() == 5);
  written["moments"].back()[0] = 0.5;
  CHECK_FALSE(from_json(written, read));
}

}  // namespace attnscope::signals_trace_test
