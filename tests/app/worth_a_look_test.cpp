// A model opens at a head that has something to say, chosen by the weights alone, and says why.
#include "app/shell/worth_a_look.hpp"

#include <catch2/catch_test_macros.hpp>

#include "app/model_robot.hpp"
#include "app/state/model_state.hpp"
#include "core/attention/run_stage.hpp"
#include "robot/layout.hpp"

namespace attnscope::worth_a_look_test {

using namespace attnscope::test;

TEST_CASE("the largest weight on another word is worth a look, sinks and neighbours are not", "[model]") {
  Tensor weights(Shape{1, 3, 4, 4});
  weights.matrix(0, 0).row(3) << 0.90f, 0.02f, 0.04f, 0.04f;  // a sink
  weights.matrix(0, 1).row(3) << 0.00f, 0.06f, 0.90f, 0.04f;  // the token before
  weights.matrix(0, 2).row(3) << 0.30f, 0.40f, 0.10f, 0.20f;
  const auto found = head_worth_a_look(weights, 3, 3, true);
  REQUIRE(found);
  CHECK(found->head == 2);
  CHECK(found->cell == Cell{3, 1});
  const auto across = head_worth_a_look(weights, 3, 3, false);
  REQUIRE(across);
  CHECK(across->head == 1);
  CHECK(across->cell == Cell{3, 2});
  CHECK_FALSE(head_worth_a_look(weights, 3, 1, true));  // it sees the first token and itself
}

TEST_CASE("a model opens at the head of its layer that is worth a look, and says so", "[model]") {
  const TemporaryDirectory directory;
  Robot robot(with_letters(directory));
  robot.settle();
  robot.leave();
  robot.settle();
  const LayerResult& layer = robot.app().shown()->layer();
  const std::int64_t query = layer.dimensions.queries - 1;
  const auto found =
      head_worth_a_look(*layer.trace[weights_stage(layer.document)], layer.dimensions.heads, query, true);
  REQUIRE(found);
  CHECK(robot.app().selection().head == found->head);
  CHECK(robot.app().selection().cell == found->cell);
  CHECK(robot.app().selection().locked);
  CHECK(shows(robot, "opened here"));
  type_text(robot, "ab c de a");  // chosen for another text
  robot.leave();
  robot.settle();
  CHECK_FALSE(shows(robot, "opened here"));
}

}  // namespace attnscope::worth_a_look_test
