// Compare with a B that does not fit A: of other sizes, or with weights of another kind.
#include <catch2/catch_test_macros.hpp>

#include "app/compare_robot.hpp"
#include "app/state/compare_state.hpp"
#include "app/state/regions/stage_look.hpp"

namespace attnscope::compare_unlike_test {

using namespace attnscope::test;

TEST_CASE("a text of another length is shown beside A, with the reason why nothing is subtracted") {
  Comparing robot;
  robot.key(ImGuiKey_Backslash);
  robot.retype("##Text", "The dog sat on the mat near the door");
  robot.leave();
  robot.settle();
  CHECK(robot.has("compare A 0"));
  CHECK(robot.has("compare B 0"));
  CHECK_FALSE(robot.has("compare A-B 0"));
  CHECK_FALSE(robot.has("difference of head 0"));
  // A cell that both have is pointed at in both; the ninth row is A's alone.
  robot.move(cell_on(robot, "compare B 0", {2, 1}, 6));
  robot.frame(2);
  CHECK(robot.hovered() == Cell{2, 1});
  robot.click_at(cell_on(robot, "compare B 0", {5, 3}, 6));
  CHECK(robot.app().selection().cell == Cell{5, 3});
  robot.click_at(cell_on(robot, "compare A 0", {8, 8}, 9));
  CHECK(robot.app().selection().cell == Cell{8, 8});
  robot.leave();
  robot.frame(3);
  CHECK(robot.app().selection().cell == Cell{8, 8});
  // Swapped, B is the longer one: pointing beyond A's end leaves A's cell alone.
  robot.key(ImGuiKey_X);
  robot.settle();
  const Cell cell = robot.app().selection().cell;
  robot.click_at(cell_on(robot, "compare B 0", {8, 0}, 9));
  robot.frame(3);
  CHECK(robot.app().selection().cell == cell);
  CHECK_FALSE(robot.app().selection().hovered_cell);
  REQUIRE(compare_of(robot.app().view()).hovered_in_b);
  CHECK(compare_of(robot.app().view()).hovered_in_b->query == 8);
}

TEST_CASE("other heads, another batch and other kinds of attention are compared as far as they go") {
  Comparing robot;
  robot.key(ImGuiKey_Backslash);
  const auto become = [&](const std::filesystem::path& file) {
    robot.app().files().opening.open(file);
    robot.settle();
    robot.frame(2);
  };
  for (const char* file : {"2-three-tokens.json", "3-two-banks.json", "5-cross-attention.json"}) {
    INFO(file);
    become(examples / file);
    CHECK(robot.has("compare A 0"));
    CHECK(robot.has("compare B 0"));
    CHECK_FALSE(robot.has("compare A-B 0"));
    robot.key(ImGuiKey_X);  // and the other way round
    robot.settle();
    CHECK(robot.has("compare B 0"));
    robot.key(ImGuiKey_X);
    robot.settle();
  }
  become(examples / "1-the-cat-sat.json");
  CHECK(robot.has("compare A-B 0"));
}

TEST_CASE("weights of another kind stand beside softmax's") {
  Comparing robot;
  robot.key(ImGuiKey_Backslash);
  robot.key(ImGuiKey_F2);
  robot.settle();
  click(robot, "More: Softmax");
  click(robot, "Linear attention");
  robot.key(ImGuiKey_F4);
  robot.settle();
  robot.leave();
  CHECK(stage_look_of(robot.app().view()).stage == Plane(Stage::Linear));
  REQUIRE(robot.has("compare A-B 0"));
  Pair pair(robot);
  const float a = pair.a->layer().trace[Stage::Linear]->matrix(0, 3)(4, 1);
  const float b = pair.b->layer().trace[Stage::Softmax]->matrix(0, 3)(4, 1);
  CHECK(pair.stats.matrix({Stage::Linear, Plane::Kind::Difference}, 0, 3)(4, 1) == a - b);
}

}  // namespace attnscope::compare_unlike_test
