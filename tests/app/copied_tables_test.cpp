// Tables that pages draw themselves, copied by a right click on their heads.
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "app/model_robot.hpp"
#include "robot/robot.hpp"

namespace attnscope::copied_tables_test {

using namespace attnscope::test;

namespace {

std::string copied_from(Robot& robot, const std::string& heads) {
  robot.right_click(robot.centre(heads));
  robot.frame(2);
  robot.click("Copy the table");
  robot.frame();
  return ImGui::GetClipboardText();
}

}  // namespace

TEST_CASE("what is predicted is copied by a right click on its heads", "[model]") {
  LettersRobot robot;
  std::string label;
  for (const RecordedItem& item : robot.items().items())
    if (label.empty() && item.label.starts_with("predicted ")) label = item.label;
  REQUIRE_FALSE(label.empty());
  const std::string first = label.substr(10, label.rfind(' ') - 10);
  CHECK(copied_from(robot, "prediction heads").starts_with("token\t%\n" + first + "\t"));
  robot.click("Head: zero");
  robot.settle();
  REQUIRE_FALSE(model_within(robot).changes.empty());
  CHECK(copied_from(robot, "prediction heads").starts_with("token\tbefore\tafter %\n"));
}

}  // namespace attnscope::copied_tables_test
