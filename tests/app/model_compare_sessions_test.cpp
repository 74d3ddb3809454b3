// A session keeps a held model by path and fingerprint, and computes it again when it is opened.
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "app/model_robot.hpp"
#include "app/pages/model/state/model_state.hpp"

namespace attnscope::model_compare_sessions_test {
namespace {

using test::TemporaryDirectory;
using test::type_text;
using test::with_letters;
namespace fs = std::filesystem;
using Catch::Matchers::ContainsSubstring;

const ModelState& state(Robot& robot) { return model_state_of(robot.app().view()); }
const ModelContext& within(const Robot& robot) { return robot.document().within.read(); }

/// A session with "letters" shown and "other", of another text, held. Returns the text of the file.
void keep_session(const TemporaryDirectory& directory, const fs::path& file) {
  write_letters_gpt(directory / "other", 3, 32);
  Robot robot(with_letters(directory));
  robot.app().files().opening.open(directory / "other");
  robot.settle();
  type_text(robot, "ab c de");
  robot.key(ImGuiKey_Backslash);
  robot.settle();
  robot.app().files().opening.open(directory / "letters");
  robot.settle();
  type_text(robot, "ab c de a");
  robot.leave();
  robot.key(ImGuiKey_F4);
  robot.settle();
  REQUIRE(robot.app().held().model()->difference->is_complete);
  robot.app().files().saving.save(file);
}

RobotOptions with_file(const fs::path& file) {
  RobotOptions options;
  options.width = 1600;
  options.height = 1000;
  options.file = file;
  return options;
}

}  // namespace

TEST_CASE("a session keeps the held model by its path and opens it again",
          "[model][compare-models][session]") {
  const TemporaryDirectory directory;
  const fs::path file = directory / "kept.json";
  keep_session(directory, file);
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  CHECK_THAT(text.str(), ContainsSubstring("other"));
  CHECK(text.str().size() < 20000);  // no weights

  SECTION("where it lies") {
    Robot robot(with_file(file));
    CHECK(within(robot).input.text == "ab c de a");
    REQUIRE(robot.app().held().model());
    const HeldModel& held = *robot.app().held().model();
    CHECK(held.within.input.text == "ab c de");
    CHECK(held.within.model->name == "other");
    CHECK(held.within.model != within(robot).model);
    CHECK(state(robot).screen == ModelScreen::Compare);
    REQUIRE(held.difference);
    CHECK(held.difference->is_complete);
    CHECK(robot.has("Compared heads"));
    REQUIRE(robot.app().held().held_result());  // the layer of it is there as well
    CHECK(robot.app().message().empty());
  }
  SECTION("moved, it is asked for and held once it is opened") {
    fs::rename(directory / "other", directory / "elsewhere");
    Robot robot(with_file(file));
    CHECK(within(robot).input.text == "ab c de a");
    CHECK_FALSE(robot.app().held().model());
    CHECK_THAT(robot.app().message(), ContainsSubstring("no longer at"));
    robot.app().files().opening.open(directory / "elsewhere");
    robot.settle();
    CHECK(within(robot).model->name == "letters");  // what is shown stays
    REQUIRE(robot.app().held().model());
    CHECK(robot.app().held().model()->within.model->name == "elsewhere");
    CHECK(robot.app().held().model()->within.input.text == "ab c de");
    CHECK(robot.has("Compared heads"));
  }
  SECTION("where it is no model any more B goes, with a sentence") {
    std::ofstream(directory / "other" / "config.json") << "{}";
    Robot robot(with_file(file));
    CHECK(within(robot).input.text == "ab c de a");
    CHECK_FALSE(robot.app().held().model());
    CHECK_THAT(robot.app().message(), ContainsSubstring("What was held"));
  }
}

TEST_CASE("a session that holds the shown model shares it", "[model][compare-models][session]") {
  const TemporaryDirectory directory;
  const fs::path file = directory / "kept.json";
  {
    Robot robot(with_letters(directory));
    type_text(robot, "ab c de a");
    robot.key(ImGuiKey_Backslash);
    robot.settle();
    type_text(robot, "ab c de b");
    robot.app().files().saving.save(file);
  }
  SECTION("where it lies") {
    Robot robot(with_file(file));
    REQUIRE(robot.app().held().model());
    CHECK(robot.app().held().model()->within.model == within(robot).model);
    CHECK(robot.app().held().model()->within.input.text == "ab c de a");
  }
  SECTION("moved, it is asked for once") {
    fs::rename(directory / "letters", directory / "elsewhere");
    Robot robot(with_file(file));
    robot.app().files().opening.open(directory / "elsewhere");
    robot.settle();
    CHECK(within(robot).input.text == "ab c de b");
    REQUIRE(robot.app().held().model());
    CHECK(robot.app().held().model()->within.model == within(robot).model);
    CHECK(robot.app().held().model()->within.input.text == "ab c de a");
  }
}

}  // namespace attnscope::model_compare_sessions_test
