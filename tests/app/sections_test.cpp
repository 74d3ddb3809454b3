// The reduced instrument: a session names the sections of controls that it shows; a right click on a title
// reduces the column, a button brings the rest back.
#include <fstream>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "app/controls_robot.hpp"
#include "app/shell/app.hpp"
#include "app/state/regions/controls_state.hpp"
#include "app/state/window_state.hpp"
#include "support/program.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::sections_test {
using namespace attnscope::test;
namespace {

bool is_there(Robot& robot, const char* label) {
  robot.frame(3);
  return robot.has(label);
}

std::string session(std::string_view controls) {
  return R"({"attnscope": 1, "session": 1, "text": ["The cat sat on the mat"], "d_model": 64, "heads": 8, "seed": 7,
             "weights": "hand-built", "view": {"mode": "explore", "controls": ")" +
         std::string(controls) + R"("}})";
}

}  // namespace

TEST_CASE("sections: a session shows those that it names, and everything comes back", "[sections]") {
  const TemporaryDirectory folder;
  const std::filesystem::path path = folder.path() / "class.json";
  std::ofstream(path) << session("scaling, mask");
  Robot robot;
  robot.app().files().opening.open(path);
  robot.settle();
  CHECK(robot.app().message().empty());
  CHECK(is_there(robot, "Divide by sqrt(d_k)"));
  CHECK(is_there(robot, "Mask: Causal"));
  CHECK_FALSE(is_there(robot, "Weights"));
  CHECK_FALSE(is_there(robot, "Softmax"));
  // Saving keeps it unchanged.
  robot.app().files().saving.save(folder.path() / "again.json");
  CHECK(bytes_of(folder.path() / "again.json").find("\"controls\":\"scaling, mask\"") != std::string::npos);
  click(robot, "All sections");
  robot.settle();
  CHECK(is_there(robot, "Weights"));
  CHECK_FALSE(is_there(robot, "All sections"));
}

TEST_CASE("sections: a right click on a title reduces the column", "[sections]") {
  Robot robot;
  robot.settle();
  REQUIRE(is_there(robot, "Scaling"));
  robot.right_click(robot.centre("Scaling"));
  robot.frame(3);
  click(robot, "Hide this section");
  robot.frame(3);
  CHECK_FALSE(is_there(robot, "Scaling"));
  CHECK(is_there(robot, "Mask"));
  robot.right_click(robot.centre("Mask"));
  robot.frame(3);
  click(robot, "This section alone");
  robot.frame(3);
  CHECK(controls_of(robot.app().view()).sections.names == "mask");
  CHECK_FALSE(is_there(robot, "Weights"));
  robot.right_click(robot.centre("Mask"));
  robot.frame(3);
  click(robot, "All sections");
  robot.frame(3);
  CHECK(controls_of(robot.app().view()).sections.names.empty());
}

TEST_CASE("sections: a name that there is not is said, and the column is whole", "[sections]") {
  const TemporaryDirectory folder;
  const std::filesystem::path path = folder.path() / "class.json";
  std::ofstream(path) << session("scaling, colour");
  Robot robot;
  robot.app().files().opening.open(path);
  robot.settle();
  CHECK(robot.app().message().find("view.controls") != std::string::npos);
  CHECK(controls_of(robot.app().view()).sections.names.empty());
}

}  // namespace attnscope::sections_test
