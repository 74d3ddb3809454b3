// A model opens at a notable head, chosen by its weights alone, with the reason.
#include "app/results/worth_a_look.hpp"

#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "app/hands_robot.hpp"
#include "app/model_robot.hpp"
#include "app/pages/model/state/model_state.hpp"
#include "core/attention/run_stage.hpp"
#include "robot/layout.hpp"

namespace attnscope::worth_a_look_test {

using namespace attnscope::test;

TEST_CASE("the largest weight on another word is worth a look, sinks and neighbours are not", "[model]") {
  Tensor weights(Shape{1, 3, 4, 4});
  weights.matrix(0, 0).row(3) << 0.90f, 0.02f, 0.04f, 0.04f;  // a sink
  weights.matrix(0, 1).row(3) << 0.00f, 0.06f, 0.90f, 0.04f;  // the token before
  weights.matrix(0, 2).row(3) << 0.30f, 0.40f, 0.10f, 0.20f;
  LookedThrough in{weights, 3, 3};
  const auto found = head_worth_a_look(in);
  REQUIRE(found);
  CHECK(found->head == 2);
  CHECK(found->cell == Cell{3, 1});
  const std::vector<Token> with_special{"[CLS]", "[SEP]", "a", "b"};  // a sink as well
  in.keys = with_special;
  CHECK_FALSE(head_worth_a_look(in));
  in.is_own_text = false;
  in.keys = {};
  const auto across = head_worth_a_look(in);
  REQUIRE(across);
  CHECK(across->head == 1);
  CHECK(across->cell == Cell{3, 2});
  in.is_own_text = true;
  in.query = 1;
  CHECK_FALSE(head_worth_a_look(in));  // it sees the first token and itself
}

TEST_CASE("a model opens at the head of its layer that is worth a look, and says so", "[model]") {
  const TemporaryDirectory directory;
  Robot robot(with_letters(directory));
  robot.settle();
  robot.leave();
  robot.settle();
  const LayerResult& layer = robot.app().shown()->layer();
  const std::int64_t query = layer.dimensions.queries - 1;
  const auto found = head_worth_a_look({*layer.trace[weights_stage(layer.document)], layer.dimensions.heads,
                                        query, true, robot.app().model()->tokens->tokens.tokens});
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

TEST_CASE("undo goes back before a model was opened, redo to the same locked cell of it", "[model]") {
  const TemporaryDirectory directory;
  write_letters_gpt(directory / "letters");
  Robot robot(RobotOptions{});  // a model of the command line is not left by undo
  robot.app().files().opening.open(directory / "letters");
  robot.settle();
  robot.leave();
  robot.settle();
  const Selection opened = robot.app().selection();
  REQUIRE(opened.locked);
  int steps = 0;
  for (; robot.document().within.read(); ++steps) {
    REQUIRE(steps < 4);
    undo(robot);
  }
  for (; steps > 0; --steps) redo(robot);
  REQUIRE(robot.document().within.read());
  CHECK(robot.app().selection().head == opened.head);
  CHECK(robot.app().selection().cell == opened.cell);
  CHECK(robot.app().selection().locked);
}

TEST_CASE("beside a model that is held another one opens at the first head", "[model]") {
  const TemporaryDirectory directory;
  write_letters_gpt(directory / "other", 3, 32);
  Robot robot(with_letters(directory));
  robot.key(ImGuiKey_Backslash);
  robot.settle();
  REQUIRE(robot.app().held().model());
  robot.app().files().opening.open(directory / "other");
  robot.settle();
  REQUIRE(robot.document().within.read().model->name == "other");
  CHECK(robot.app().selection().head == 0);
  CHECK(robot.app().selection().locked);
}

}  // namespace attnscope::worth_a_look_test
