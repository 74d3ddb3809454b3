// Every control of the mask, used once: windows, patterns, hidden scores, mistakes, cells hidden by hand.
#include <algorithm>
#include <cmath>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "app/controls_robot.hpp"
#include "robot/layout.hpp"

namespace attnscope::mask_controls_test {

using namespace attnscope::test;

TEST_CASE("a window and the patterns hide keys, in all heads or in one") {
  Unfolded robot("Mask");
  click(robot, "Window left more");
  click(robot, "Window left more");
  CHECK(robot.document().layer().masking.window.left == 1);
  CHECK(shown(robot).measures.row(0, 3, 5).allowed == 2);
  CHECK(robot.has("Dropped mass"));
  CHECK(shown(robot).measures.head(0, 3).dropped > 0.1);
  click(robot, "Mask for: This head");
  CHECK(robot.document().layer().masking.heads == std::vector<int>{3});
  CHECK(shown(robot).measures.row(0, 0, 5).allowed == 6);
  click(robot, "Mask for: All heads");
  CHECK(robot.document().layer().masking.heads.empty());
  robot.type_number("Window left value", "-1");
  robot.type_number("Window right value", "0");
  click(robot, "Mask: None");
  CHECK(shown(robot).measures.row(0, 3, 1).allowed == 2);
  robot.type_number("Window right value", "-7");
  CHECK(robot.document().layer().masking.window.open());
  CHECK_FALSE(robot.has("Dropped mass"));
}

TEST_CASE("each sparse pattern with each of its numbers") {
  Unfolded robot("Mask");
  click(robot, "Mask: None");
  choose(robot, "Pattern", "Strided");
  CHECK(shown(robot).measures.row(0, 0, 0).allowed == 2);
  click(robot, "Stride less");
  CHECK(shown(robot).measures.row(0, 0, 0).allowed == 3);
  choose(robot, "Pattern", "Block + global");
  robot.type_number("Block value", "2");
  robot.type_number("Globals value", "0");
  CHECK(shown(robot).measures.row(0, 0, 5).allowed == 2);
  choose(robot, "Pattern", "LSH buckets");
  REQUIRE(shown(robot).trace[Stage::Bucket]);
  click(robot, "LSH buckets more");
  CHECK(robot.document().layer().masking.sparsity.lsh_buckets == 6);
  const auto allowed = [&] {
    std::int64_t count = 0;
    for (const RowMeasures& row : shown(robot).measures.rows) count += row.allowed;
    return count;
  };
  const std::int64_t once = allowed();
  robot.type_number("LSH rounds value", "8");
  CHECK(allowed() > once);
  click(robot, "LSH seed more");
  CHECK(robot.document().layer().masking.sparsity.seed == 2);
}

TEST_CASE("what a hidden score becomes decides what a row without keys does") {
  Unfolded robot("Mask");
  choose(robot, "Mistake", "Diagonal hidden");
  CHECK(shown(robot).measures.head(0, 3).rows_without_key == 1);
  CHECK(cell_of(robot, Stage::Softmax, 3, 0, 0) == 0);
  click(robot, "Hidden score: \u22121e9");
  CHECK(std::abs(cell_of(robot, Stage::Softmax, 3, 0, 5) - 1.0f / 6) < 1e-6f);
}

TEST_CASE("each mistake breaks what it says") {
  Unfolded robot("Mask");
  choose(robot, "Mistake", "After the softmax");
  const auto row = shown(robot).trace[Stage::Softmax]->matrix(0, 3).row(0);
  CHECK(row.sum() < 0.9f);
  CHECK(std::isfinite(cell_of(robot, Stage::Mask, 3, 0, 5)));
  choose(robot, "Mistake", "Transposed");
  CHECK(shown(robot).measures.row(0, 3, 5).allowed == 1);
  CHECK(cell_of(robot, Stage::Softmax, 3, 0, 5) > 0);
  click(robot, "Mask: Padding");
  robot.type_number("Pad to value", "8");
  choose(robot, "Mistake", "Wrong axis");
  CHECK(cell_of(robot, Stage::Softmax, 3, 0, 7) > 0);
  CHECK(shown(robot).measures.row(0, 3, 7).allowed == 0);
  choose(robot, "Mistake", "No mistake");
  CHECK(cell_of(robot, Stage::Softmax, 3, 0, 7) == 0);
}

TEST_CASE("cells are hidden by hand with the button and with M") {
  Unfolded robot("Mask");
  const Cell cell = robot.app().selection().cell;
  const auto q = static_cast<int>(cell.query), k = static_cast<int>(cell.key);
  CHECK_FALSE(robot.has("Clear painting"));
  const auto says_painted = [&] {
    const std::vector<PlacedText> texts = texts_of(robot);
    return std::any_of(texts.begin(), texts.end(),
                       [](const PlacedText& t) { return t.text == "causal · painted"; });
  };
  CHECK_FALSE(says_painted());
  click(robot, "Hide cell");
  CHECK(says_painted());
  CHECK(cell_of(robot, Stage::Softmax, 3, q, k) == 0);
  CHECK(cell_of(robot, Stage::Softmax, 2, q, k) > 0);
  click(robot, "Show cell");
  CHECK(cell_of(robot, Stage::Softmax, 3, q, k) > 0);
  robot.leave();
  robot.key(ImGuiKey_M);
  robot.settle();
  CHECK(cell_of(robot, Stage::Softmax, 3, q, k) == 0);
  // Changes of the tokens keep the additive mask or drop it, and are never refused for it.
  robot.retype("##Text", "The cat");
  CHECK(robot.app().message().empty());
  robot.type_number("Pad to value", "9");
  CHECK(robot.app().message().empty());
  CHECK(shown(robot).dimensions.keys == 9);
  click(robot, "Clear painting");
  CHECK_FALSE(robot.document().layer().masking.additive);
}

TEST_CASE("a list at the lower edge opens upwards") {
  Robot robot({.width = 1600, .height = 640});
  click(robot, "More: Mask");  // scrolls until the section's end is in sight
  REQUIRE(robot.centre("Mistake").y > 480);
  robot.click("Mistake");
  robot.frame(3);
  for (const std::string_view row : {"No mistake", "Wrong axis"}) {
    REQUIRE(robot.has(row));
    CHECK(robot.centre(row).y < robot.centre("Mistake").y);
  }
}

}  // namespace attnscope::mask_controls_test
