// The table of an experiment: rows that do not fit scroll, a right click on a head copies it, and it is saved
// as CSV.
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "app/pages/experiments/experiment_state.hpp"
#include "robot/robot.hpp"
#include "support/csv_reader.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::experiments_table_test {
namespace {

void choose(Robot& robot, double value) {
  experiment_of(robot.app().view()).value = value;
  robot.settle();
}

}  // namespace

TEST_CASE("experiments: rows of the table that do not fit scroll, the chosen one into sight",
          "[experiments][experiments_view]") {
  Robot robot({.width = 1280, .height = 640});
  robot.key(ImGuiKey_F9);
  robot.settle();
  choose(robot, 1024);
  CHECK(robot.has("experiment row 10"));
  CHECK_FALSE(robot.has("experiment row 0"));
  robot.move(robot.centre("experiment row 10"));
  robot.scroll(40);
  robot.settle();
  CHECK(robot.has("experiment row 0"));
  CHECK_FALSE(robot.has("experiment row 10"));
  CHECK(experiment_of(robot.app().view()).value == 1024);
  robot.click("experiment row 0");
  robot.settle();
  CHECK(experiment_of(robot.app().view()).value == 1);
  choose(robot, 1024);
  CHECK(robot.has("experiment row 10"));
  // Another experiment's table is where it was left, whatever this one's does.
  experiment_of(robot.app().view()).name = "temperature";
  experiment_of(robot.app().view()).value.reset();
  robot.settle();
  CHECK(experiment_of(robot.app().view()).orders["scaling"].first_row > 0);
  experiment_of(robot.app().view()).name = "scaling";
  choose(robot, 1024);
  CHECK(robot.has("experiment row 10"));
}

TEST_CASE("experiments: a right click on a head copies all numbers, as the button does",
          "[experiments][experiments_view]") {
  Robot robot({.width = 1600, .height = 1000});
  robot.key(ImGuiKey_F9);
  robot.settle();
  robot.click("Copy the table");
  robot.settle();
  const std::string by_button = ImGui::GetClipboardText();
  CHECK(by_button.starts_with("value\tspread_divided"));
  ImGui::SetClipboardText("");
  robot.right_click(robot.centre("experiment row heads"));
  robot.frame(2);
  robot.click("Copy the table");  // in the menu, which lies above the button's row
  robot.settle();
  CHECK(ImGui::GetClipboardText() == by_button);
}

TEST_CASE("experiments: the table is saved as CSV", "[experiments][experiments_view]") {
  const test::TemporaryDirectory directory;
  Robot robot({.width = 1600, .height = 1000});
  robot.key(ImGuiKey_F9);
  robot.settle();
  robot.key(ImGuiKey_S);
  robot.settle();
  CHECK(robot.has("Export"));
  robot.key(ImGuiKey_Escape);
  robot.settle();
  robot.app().files().saving.save(directory / "table.csv");
  std::ifstream in(directory / "table.csv", std::ios::binary);
  std::ostringstream saved;
  saved << in.rdbuf();
  const test::CsvReader table(saved.str());
  CHECK(table.rows() == 11);
  CHECK(table.number(10, "value") == 1024);
  CHECK(table.number(10, "spread_not_divided") > 31);
  robot.app().files().saving.save(directory / "table.npy");
  CHECK(robot.app().message().find("saved as .csv") != std::string::npos);
}

}  // namespace attnscope::experiments_table_test
