// Controls of alternatives to the softmax and of changes of its weights, each used once.
#include <cmath>

#include <catch2/catch_test_macros.hpp>

#include "app/controls_robot.hpp"
#include "app/state/regions/stage_look.hpp"

namespace attnscope::softmax_controls_test {

using namespace attnscope::test;

TEST_CASE("a learned sink takes weight, the more the larger its logit") {
  Unfolded robot("Softmax");
  const auto shares = [&] {
    double sum = 0;
    for (const HeadMeasures& head : shown(robot).measures.head_means) sum += head.sink;
    return sum;
  };
  CHECK(shares() == 0);
  click(robot, "Learned sink");
  const double share = shares();
  CHECK(share > 0);
  robot.drag(robot.centre("Sink logit"), {robot.centre("Sink logit").x + 60, robot.centre("Sink logit").y});
  robot.settle();
  CHECK(shares() > share);
  click(robot, "Learned sink");
  CHECK_FALSE(robot.document().layer().weights[Parameter::SinkLogits]);
}

TEST_CASE("the naive softmax overflows, is marked and told") {
  Unfolded robot("Softmax");
  click(robot, "Softmax: Naive");
  CHECK(robot.document().layer().softmax == SoftmaxKind::Naive);
  CHECK(shown(robot).measures.head(0, 3).not_finite == 0);
  robot.type_number("Scale value", "40");
  std::int64_t bad = 0;
  for (const HeadMeasures& head : shown(robot).measures.head_means) bad += head.not_finite;
  CHECK(bad > 0);
  robot.leave();
  robot.frame();
  const Image picture = robot.pixels();
  CHECK(std::count(picture.pixels.begin(), picture.pixels.end(), theme(ThemeName::Dark).nan) > 100);
  click(robot, "Softmax: Stable");
  CHECK(shown(robot).measures.head(0, 3).not_finite == 0);
}

TEST_CASE("linear attention takes the place of the softmax's weights everywhere") {
  Unfolded robot("Softmax");
  click(robot, "Linear attention");
  REQUIRE(shown(robot).trace[Stage::Linear]);
  CHECK(stage_look_of(robot.app().view()).stage == Stage::Linear);
  robot.click("Other stages");
  robot.frame(2);
  std::optional<ImVec2> row;  // a section of the controls has the same name
  for (const RecordedItem& item : robot.items().items())
    if (item.label == "Softmax" && item.window.find("Popup") != std::string::npos)
      row = ImVec2{(item.min.x + item.max.x) / 2, (item.min.y + item.max.y) / 2};
  REQUIRE(row);
  robot.click_at(*row);
  robot.settle();
  CHECK(stage_look_of(robot.app().view()).stage == Stage::Softmax);
  click(robot, "Stage: Weights");
  CHECK(stage_look_of(robot.app().view()).stage == Stage::Linear);
  click(robot, "Linear attention");
  CHECK(stage_look_of(robot.app().view()).stage == Stage::Softmax);
}

TEST_CASE("dropout drops, another seed drops others") {
  Unfolded robot("Softmax");
  robot.type_number("Dropout value", "0.5");
  REQUIRE(robot.document().layer().dropout.rate == 0.5f);
  const TensorPtr dropped = shown(robot).trace[Stage::Drop];
  CHECK(*dropped != *shown(robot).trace[Stage::Softmax]);
  click(robot, "Dropout seed more");
  CHECK(*shown(robot).trace[Stage::Drop] != *dropped);
  choose(robot, "Other stages", "Dropped");
  CHECK(stage_look_of(robot.app().view()).stage == Stage::Drop);
  const ImVec2 knob = robot.centre("Dropout");
  robot.drag(knob, {0, knob.y});
  robot.settle();
  CHECK(robot.document().layer().dropout.rate == 0);
  CHECK(stage_look_of(robot.app().view()).stage ==
        Stage::Softmax);  // the shown stage does not exist any more
}

}  // namespace attnscope::softmax_controls_test
