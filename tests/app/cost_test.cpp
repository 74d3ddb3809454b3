// The cost section: the layer on screen and the same layer at another length.
#include "core/analysis/cost.hpp"

#include <catch2/catch_test_macros.hpp>

#include "app/controls_robot.hpp"
#include "app/kit/ui/number_format.hpp"
#include "app/state/regions/controls_state.hpp"

namespace attnscope::cost_test {

using namespace attnscope::test;

TEST_CASE("the cost section tells what the layer costs, at any length") {
  Unfolded robot("Cost");
  for (const std::string_view label :
       {"At tokens", "Parameters QKV", "FLOPs", "Held streaming", "Cost of Scores"})
    CHECK(robot.has(label));
  const Document before = robot.document();
  CHECK(controls_of(robot.app().view()).cost_tokens == 0);
  const ImVec2 knob = robot.centre("At tokens");
  robot.drag(knob, {knob.x + 60, knob.y});
  CHECK(controls_of(robot.app().view()).cost_tokens > 100);
  robot.type_number("At tokens value", "32768");
  CHECK(controls_of(robot.app().view()).cost_tokens == 32768);
  CHECK(robot.document() == before);  // this does not change the document
  robot.type_number("At tokens value", "6");
  CHECK(controls_of(robot.app().view()).cost_tokens == 0);  // its own length again
  click(robot, "More: Cost");
  CHECK_FALSE(robot.has("Cost of Scores"));
}

TEST_CASE("large counts are told in little room") {
  CHECK(metric(0) == "0");
  CHECK(metric(812) == "812");
  CHECK(metric(999.6) == "1.0 k");
  CHECK(metric(3140) == "3.1 k");
  CHECK(metric(1'769'472) == "1.8 M");
  CHECK(metric(412e12) == "412 T");
  CHECK(metric(3.1e18) == "3.1e18");
}

}  // namespace attnscope::cost_test
