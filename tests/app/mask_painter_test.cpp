// Painting the mask with the mouse: on the small picture, and on the large one while painting is on.
#include <cmath>

#include <catch2/catch_test_macros.hpp>

#include "app/controls_robot.hpp"
#include "app/state/regions/controls_state.hpp"
#include "app/state/regions/editing_state.hpp"
#include "core/document/mask.hpp"
#include "core/edits/mask.hpp"

namespace attnscope::mask_painter_test {

using namespace attnscope::test;

namespace {

ImVec2 cell(Robot& robot, std::string_view map, int query, int key, int n = 6) {
  const RecordedItem* item = robot.items().find(map);
  REQUIRE(item != nullptr);
  const auto at = [&](float from, float to, int i) {
    return from + (to - from) * (static_cast<float>(i) + 0.5f) / static_cast<float>(n);
  };
  return {at(item->min.x, item->max.x, key), at(item->min.y, item->max.y, query)};
}

bool hidden(Robot& robot, int h, int query, int key) {
  return edit::is_hidden_by_hand(robot.document(), 0, h, query, key);
}

std::int64_t allowed(Robot& robot, int h) {
  std::int64_t count = 0;
  for (int query = 0; query < 6; ++query) count += shown(robot).measures.row(0, h, query).allowed;
  return count;
}

const RobotOptions window{.width = 1600, .height = 1000};

}  // namespace

TEST_CASE("a drag on the small picture hides cells, another one shows them", "[painter]") {
  Robot robot(window);
  robot.settle();
  click(robot, "Mask: None");
  const Document start = robot.document();
  robot.drag(cell(robot, "Mask picture", 1, 0), cell(robot, "Mask picture", 1, 5),
             2);  // a fast stroke has no gaps
  robot.settle();
  for (int key = 0; key < 6; ++key) CHECK(hidden(robot, 3, 1, key));
  CHECK_FALSE(hidden(robot, 2, 1, 0));  // in this head alone
  CHECK(allowed(robot, 3) == 30);
  CHECK(cell_of(robot, Stage::Softmax, 3, 1, 2) == 0);
  robot.drag(cell(robot, "Mask picture", 1, 2), cell(robot, "Mask picture", 3, 2),
             5);  // the first cell was hidden
  robot.settle();
  CHECK_FALSE(hidden(robot, 3, 1, 2));
  CHECK_FALSE(hidden(robot, 3, 2, 2));
  CHECK(hidden(robot, 3, 1, 1));
  robot.key(ImGuiKey_Z, ImGuiMod_Ctrl);  // a stroke is one step
  robot.settle();
  CHECK(hidden(robot, 3, 1, 2));
  robot.key(ImGuiKey_Z, ImGuiMod_Ctrl);
  robot.settle();
  CHECK(robot.document() == start);
}

TEST_CASE("B paints on the large picture, in this head or in all", "[painter]") {
  Robot robot(window);
  robot.settle();
  click(robot, "Mask: None");
  robot.leave();
  robot.key(ImGuiKey_B);
  robot.settle();
  REQUIRE(editing_of(robot.app().view()).painting);
  const Cell chosen = robot.app().selection().cell;
  robot.drag(cell(robot, "heatmap 0", 2, 2), cell(robot, "heatmap 0", 4, 4), 4);
  robot.settle();
  for (int i = 2; i < 5; ++i) CHECK(hidden(robot, 3, i, i));
  CHECK_FALSE(hidden(robot, 0, 3, 3));
  CHECK(robot.app().selection().cell == chosen);  // painting does not choose a cell
  click(robot, "Brush for: All heads");
  robot.drag(cell(robot, "heatmap 0", 0, 5), cell(robot, "heatmap 0", 0, 3), 4);
  robot.settle();
  for (int h = 0; h < 8; ++h)
    for (int key = 3; key < 6; ++key) CHECK(hidden(robot, h, 0, key));
  robot.key(ImGuiKey_B, ImGuiMod_Shift);
  CHECK_FALSE(editing_of(robot.app().view()).all_heads);
  click(robot, "Clear painting");
  CHECK_FALSE(robot.document().layer().masking.additive);
  robot.leave();
  robot.key(ImGuiKey_Escape);
  CHECK_FALSE(editing_of(robot.app().view()).painting);
  click(robot, "Paint");
  CHECK(editing_of(robot.app().view()).painting);
  click(robot, "Paint");
  robot.click_at(cell(robot, "heatmap 0", 5, 1));
  robot.settle();
  CHECK(robot.app().selection().cell == Cell{5, 1});
  CHECK_FALSE(robot.document().layer().masking.additive);
}

TEST_CASE("the pattern is taken as painted, by the button or by showing a cell of it", "[painter]") {
  Robot robot(window);
  robot.settle();
  click(robot, "Mask: Causal");
  REQUIRE(allowed(robot, 3) == 21);
  click(robot, "Paint");
  click(robot, "Brush for: All heads");
  click(robot, "From pattern");
  CHECK_FALSE(robot.document().layer().masking.causal);
  CHECK(robot.document().layer().masking.additive->shape() == Shape{1, 1, 6, 6});
  CHECK(allowed(robot, 0) == 21);
  CHECK_FALSE(robot.has("From pattern"));
  click(robot, "Clear painting");
  click(robot, "Mask: Causal");
  click(robot, "Brush for: This head");
  robot.click_at(cell(robot, "heatmap 0", 0, 5));  // the causal mask hides it: it is painted in this head
  robot.settle();
  CHECK(allowed(robot, 3) == 22);
  CHECK(allowed(robot, 2) == 21);
  CHECK(cell_of(robot, Stage::Softmax, 3, 0, 5) > 0);
  CHECK(robot.document().layer().masking.heads == std::vector<int>{0, 1, 2, 4, 5, 6, 7});
}

TEST_CASE("what cannot be painted says so", "[painter]") {
  Robot robot(window);
  robot.settle();
  robot.type_number("Pad to value", "8");
  click(robot, "Mask: Padding");
  const Document start = robot.document();
  robot.click_at(cell(robot, "Mask picture", 2, 7, 8));
  robot.settle();
  CHECK(robot.document() == start);
  CHECK(robot.app().message().find("padding mask") != std::string::npos);
  robot.leave();
  robot.key(ImGuiKey_Escape);
  click(robot, "Mask: None");
  controls_of(robot.app().view()).more.fill(true);
  robot.settle();
}

}  // namespace attnscope::mask_painter_test
