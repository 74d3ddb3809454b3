// The controls that classes use most are first in the column, at every width.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "app/model_robot.hpp"

namespace attnscope::controls_order_test {
using namespace attnscope::test;
namespace {

constexpr float title_height = 24;

/// The titles of the sections in sight, from top to bottom.
std::vector<RecordedItem> titles(const Robot& robot) {
  constexpr std::array<std::string_view, 11> sections{"Scaling", "Mask",     "Softmax",   "Input",
                                                      "Weights", "Heads",    "Block",     "Positions",
                                                      "Cost",    "Backward", "Statistics"};
  std::vector<RecordedItem> found;
  for (const RecordedItem& item : robot.items().items())
    if (item.visible && item.window.find("controls") != std::string::npos &&
        std::ranges::find(sections, item.label) != sections.end())
      found.push_back(item);
  std::ranges::sort(found, {}, [](const RecordedItem& item) { return item.min.y; });
  return found;
}

/// Between two titles that are fully in sight, all of the upper section is in sight, too.
void check_first_three(const Robot& robot) {
  const std::vector<RecordedItem> found = titles(robot);
  REQUIRE(found.size() > 3);
  CHECK(found[0].label == "Scaling");
  CHECK(found[1].label == "Mask");
  CHECK(found[2].label == "Softmax");
  CHECK(found[3].label == "Input");
  for (std::size_t i = 0; i < 4; ++i) {
    INFO(found[i].label);
    CHECK(found[i].max.y - found[i].min.y == title_height);
  }
  for (const char* control : {"Divide by sqrt(d_k)", "Mask: Causal", "Paint", "Temperature", "Soft-cap"}) {
    INFO(control);
    REQUIRE(robot.has(control));
    CHECK(robot.centre(control).y > found[0].max.y);
    CHECK(robot.centre(control).y < found[3].min.y);
  }
}

}  // namespace

TEST_CASE("scaling, mask and softmax are the first sections of the opening picture, and whole in sight",
          "[sections]") {
  for (const auto& [width, height] : {std::pair{1600, 1000}, std::pair{1280, 720}}) {
    INFO(width << " x " << height);
    Robot robot({.width = width, .height = height});
    robot.settle();
    check_first_three(robot);
  }
}

TEST_CASE("they are the first of a model's layer, and what is folded below opens with one click",
          "[sections]") {
  const TemporaryDirectory directory;
  for (const auto& [width, height] : {std::pair{1600, 1000}, std::pair{1280, 720}}) {
    INFO(width << " x " << height);
    Robot robot(with_letters(directory, {.width = width, .height = height}));
    robot.key(ImGuiKey_F2);
    robot.settle();
    check_first_three(robot);
    if (!robot.has("Input source")) robot.click("Input");
    robot.settle();
    CHECK(robot.has("Input source"));
  }
}

}  // namespace attnscope::controls_order_test
