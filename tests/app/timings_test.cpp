// The card with the milliseconds of every stage, copied as a table.
#include <memory>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "app/kit/ui/number_format.hpp"
#include "robot/robot.hpp"
#include "support/second_backend.hpp"

namespace attnscope::timings_test {

using test::SecondBackend;

TEST_CASE("backends: a right click copies the times of all stages with their sums", "[backends]") {
  const auto copied_from = [](Robot& robot, const std::string& place) {
    robot.right_click(robot.centre(place));
    robot.frame(2);
    robot.click("Copy the table");
    robot.frame(2);
    return std::string(ImGui::GetClipboardText());
  };
  SECTION("of both backends, from their names") {
    const auto other = std::make_shared<SecondBackend>();
    Robot robot({.width = 1600, .height = 1000, .second = other});
    robot.key(ImGuiKey_U);
    robot.key(ImGuiKey_H);
    robot.settle();
    const std::string copied = copied_from(robot, "time of heads");
    CHECK(copied.starts_with("stage\tCPU\t" + std::string(other->name()) + "\n"));
    const auto line = [](std::string_view name, double cpu, double second) {
      return "\n" + std::string(name) + "\t" + fixed(cpu, 3) + "\t" + fixed(second, 3) + "\n";
    };
    const WholeTimes &cpu = *robot.app().backends().times(0), &second = *robot.app().backends().times(1);
    const StageInfo& score = info(Stage::Score);
    CHECK(copied.find(line(score.name, cpu.stages[Stage::Score], second.stages[Stage::Score])) !=
          copied.npos);
    CHECK(copied.ends_with(line("the whole document, ms", cpu.total(), second.total())));
  }
  SECTION("of the only one, from any stage; what was kept says so") {
    Robot robot({.width = 1600, .height = 1000});
    robot.key(ImGuiKey_S);
    robot.key(ImGuiKey_H);
    robot.settle();
    const StageInfo& score = info(Stage::Score);
    const std::string copied = copied_from(robot, "time of " + std::string(score.name));
    CHECK(copied.starts_with("stage\tms\n"));
    CHECK(copied.find("\n" + std::string(score.name) + "\tkept\n") != copied.npos);
    CHECK(copied.find("\nthe last change, ms\t") != copied.npos);
  }
}

}  // namespace attnscope::timings_test
