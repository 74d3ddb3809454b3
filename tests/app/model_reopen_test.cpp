// A kept session with a model, after closing or a crash: it is read in the background, and is not lost
// whatever happens meanwhile.
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "app/model_robot.hpp"
#include "app/session/closed.hpp"
#include "app/state/files_state.hpp"
#include "robot/robot.hpp"
#include "support/letters_gpt.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::model_reopen_test {
namespace {

using test::TemporaryDirectory;

/// A window with a model in it, closed or killed.
struct Desk {
  TemporaryDirectory directory;

  explicit Desk(bool killed) {
    write_letters_gpt(directory / "letters");
    RobotOptions options = window();
    options.file = directory / "letters";
    Robot robot(options);
    robot.retype("##Text", "abc de ab");
    robot.key(ImGuiKey_Escape);
    robot.settle();
    robot.frame(60);  // until it is kept
    if (killed) {
      robot.app().files().keeping.keep_now();
      robot.app().files().keeping.keeper()->autosave().wait();
      robot.app().files().keeping.keeper()->autosave().leave();
    } else {
      robot.app().close({});
      robot.app().files().keeping.finish_closing();
    }
  }
  RobotOptions window() const {
    RobotOptions options;
    options.state = directory / "state";
    return options;
  }
  std::size_t closed() const { return Closed(directory / "state").list().size(); }
};

const ModelContext& within(const Robot& robot) { return robot.document().within.read(); }

void check_is_back(Robot& robot) {
  robot.settle();
  REQUIRE(within(robot));
  CHECK(within(robot).input.text == "abc de ab");
  CHECK(robot.app().view().mode == Mode::Model);
  CHECK(robot.app().workspace().is_edited());
}

}  // namespace

TEST_CASE("what was closed in a model is read behind the window", "[model][closing]") {
  const Desk desk(false);
  Robot robot(desk.window());
  robot.settle();
  REQUIRE(desk.closed() == 1);
  robot.app().files().opening.reopen({});
  CHECK_FALSE(within(robot));  // it is on its way
  CHECK_FALSE(robot.app().settled());
  check_is_back(robot);
  CHECK(robot.app().message().starts_with("Reopened what was closed last."));
  CHECK(desk.closed() == 0);  // this window owns it now
  robot.key(ImGuiKey_Z, ImGuiMod_Ctrl);
  robot.settle();
  CHECK_FALSE(within(robot));
}

TEST_CASE("what is opened in between leaves what was closed where it was", "[model][closing]") {
  const Desk desk(false);
  std::ofstream(desk.directory / "note.txt") << "another text";
  Robot robot(desk.window());
  robot.settle();
  robot.app().files().opening.reopen({});
  robot.app().files().opening.open(desk.directory / "note.txt");
  robot.settle();
  CHECK_FALSE(within(robot));
  CHECK(robot.document().title == "note.txt");
  CHECK(desk.closed() == 1);
  robot.app().files().opening.reopen({});
  check_is_back(robot);
}

TEST_CASE("what a crash left in a model is restored behind the window", "[model][closing]") {
  const Desk desk(true);
  Robot robot(desk.window());
  robot.settle();
  REQUIRE(robot.app().files().opening.restore());
  CHECK_FALSE(within(robot));
  check_is_back(robot);
  CHECK(robot.app().message().starts_with("Restored what was open when AttnScope ended unexpectedly."));
  CHECK(std::filesystem::exists(robot.app().files().keeping.keeper()->autosave().file()));
}

TEST_CASE("a restoring that is stopped can be reopened", "[model][closing]") {
  const Desk desk(true);
  std::ofstream(desk.directory / "note.txt") << "another text";
  Robot robot(desk.window());
  robot.settle();
  REQUIRE(robot.app().files().opening.restore());
  robot.app().files().opening.open(desk.directory / "note.txt");
  robot.settle();
  CHECK_FALSE(within(robot));
  REQUIRE(desk.closed() == 1);
  robot.app().files().opening.reopen({});
  check_is_back(robot);
}

TEST_CASE("a session whose model has moved waits for it, also through the end of the window",
          "[model][closing]") {
  for (const bool killed : {false, true}) {
    INFO(killed);
    const Desk desk(killed);
    std::filesystem::rename(desk.directory / "letters", desk.directory / "elsewhere");
    {
      Robot robot(desk.window());
      robot.settle();
      if (killed)
        REQUIRE(robot.app().files().opening.restore());
      else
        robot.app().files().opening.reopen({});
      robot.settle();
      CHECK_FALSE(within(robot));
      CHECK_THAT(robot.app().message(), Catch::Matchers::ContainsSubstring("letters"));
      CHECK(desk.closed() == 1);
      robot.app().close({});
    }
    Robot robot(desk.window());
    robot.settle();
    robot.app().files().opening.reopen({});
    robot.settle();
    robot.app().files().opening.open(desk.directory / "elsewhere");
    check_is_back(robot);
    CHECK(desk.closed() == 0);
  }
}

TEST_CASE("a session that does not say whose token is followed means its model's", "[model][session]") {
  test::LettersRobot robot;
  std::string label;
  for (const RecordedItem& item : robot.items().items())
    if (item.label.starts_with("predicted ")) label = item.label;  // the least likely one
  REQUIRE_FALSE(label.empty());
  robot.right_click(robot.centre(label));
  robot.settle();
  const std::filesystem::path file = robot.directory / "session.json";
  robot.app().files().saving.save(file);
  std::ostringstream read;
  read << std::ifstream(file).rdbuf();
  std::string text = read.str();
  const std::size_t begin = text.find("\"tokens_of\"");
  REQUIRE(begin != std::string::npos);
  text.erase(begin, text.find(',', begin) + 1 - begin);  // as earlier versions wrote it
  std::ofstream(file) << text;
  robot.right_click(robot.centre(label));
  robot.settle();
  robot.app().files().opening.open(file);
  robot.settle();
  for (const char* words : {"ab", "c de", "a a a a", "de c ab", "b", "e d c b a"}) {
    INFO(words);
    test::type_text(robot, words);
    CHECK(robot.has(label));
  }
}

}  // namespace attnscope::model_reopen_test
