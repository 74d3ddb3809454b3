// The message at the lower edge about an opened or changed document disappears when it is not true any more.
#include "app/state/notices.hpp"

#include <filesystem>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "app/model_robot.hpp"
#include "app/state/regions/focus_state.hpp"
#include "robot/robot.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::notices_test {

using namespace attnscope::test;

namespace {

const RobotOptions wide{.width = 1600, .height = 1000};

}  // namespace

TEST_CASE("what is said of a text that was opened leaves when that has become untrue") {
  const TemporaryDirectory directory;
  std::string many;
  for (int i = 0; i < 90; ++i) many += "word" + std::to_string(i) + " ";
  const std::filesystem::path one = directory.write("one.txt", "A text of one line.");
  const std::filesystem::path long_one = directory.write("long.txt", many);
  const auto said = [](Robot& robot) { return robot.app().message().starts_with("Opened without"); };
  Robot robot(wide);
  robot.app().files().opening.open(one);
  robot.settle();
  REQUIRE(said(robot));
  robot.key(ImGuiKey_RightArrow);  // a change of the view keeps it
  robot.settle();
  CHECK(said(robot));
  robot.key(ImGuiKey_C);
  robot.settle();
  CHECK_FALSE(said(robot));

  robot.app().files().opening.open(one);
  robot.settle();
  REQUIRE(said(robot));
  robot.key(ImGuiKey_Z, ImGuiMod_Ctrl);
  robot.settle();
  CHECK_FALSE(said(robot));

  robot.app().files().opening.open(long_one);
  robot.settle();
  REQUIRE(said(robot));
  const bool log = focus_of(robot.app().view()).log;
  CHECK((robot.app().message().find("logarithmic") != std::string::npos) == log);
  robot.key(ImGuiKey_L);
  robot.settle();
  CHECK(said(robot) != log);
  robot.app().files().opening.open(one);
  robot.settle();
  CHECK(robot.app().message().find("logarithmic") == std::string::npos);
}

TEST_CASE("what is said of a model's new text leaves with undo and with another text", "[model]") {
  const TemporaryDirectory directory;
  const std::filesystem::path text = directory.write("text.txt", "c de");
  LettersRobot robot;
  const auto says_now = [&] {
    return robot.app().message() == "\"text.txt\" is the text now. Ctrl+Z goes back.";
  };
  const auto drop = [&] {
    robot.app().files().opening.drop({text});
    robot.settle();
    REQUIRE(says_now());
  };
  drop();
  robot.key(ImGuiKey_Z, ImGuiMod_Ctrl);
  robot.settle();
  CHECK_FALSE(says_now());
  drop();
  robot.retype("##Text", "ab ab");
  robot.settle();
  CHECK_FALSE(says_now());
}

}  // namespace attnscope::notices_test
