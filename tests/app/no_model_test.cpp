// The model's page while no model is open: it lists models, and leads back to the last one.
#include <fstream>
#include <set>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "app/controls_robot.hpp"
#include "app/model_robot.hpp"
#include "app/pages/model/state/model_state.hpp"
#include "app/state/files_state.hpp"
#include "core/files/formats/posix.hpp"
#include "support/small_folders.hpp"

namespace attnscope::no_model_test {
namespace {

using test::TemporaryDirectory;

const std::filesystem::path examples = std::filesystem::path(ATTNSCOPE_ASSETS) / "examples";

}  // namespace

TEST_CASE("where no model is open those that came with the program are listed, and open") {
  Robot robot({.width = 1280, .height = 800});
  robot.app().files().opening.open(examples / "2-three-tokens.json");
  robot.settle();
  REQUIRE_FALSE(robot.document().within.read());
  robot.key(ImGuiKey_F7);
  robot.settle();
  REQUIRE(robot.app().view().mode == Mode::Model);
  CHECK_FALSE(robot.has("Back to the model"));
  for (const char* name : {"brackets", "induction", "millbrook", "reader", "shapes"}) {
    INFO(name);
    CHECK(robot.has("model " + (std::filesystem::path(ATTNSCOPE_ASSETS) / "models" / name).string()));
  }
  robot.click("model " + (std::filesystem::path(ATTNSCOPE_ASSETS) / "models/induction").string());
  robot.settle();
  REQUIRE(robot.document().within.read());
  CHECK(robot.document().within.read().path.filename() == "induction");
}

TEST_CASE("a layer that was taken out of its model leads back into it") {
  const TemporaryDirectory directory;
  Robot robot(test::with_letters(directory));
  test::type_text(robot, "ab c de a");
  robot.leave();
  robot.key(ImGuiKey_F2);
  robot.settle();
  robot.click("Zero key");  // with one more key it is no layer of that model any more
  robot.settle();
  REQUIRE_FALSE(robot.document().within.read());
  robot.key(ImGuiKey_F7);
  robot.settle();
  robot.click("Back to the model");
  robot.settle();
  REQUIRE(robot.document().within.read());
  CHECK(robot.document().within.read().input.text == "ab c de a");
  CHECK(robot.app().view().mode == Mode::Model);
  CHECK_FALSE(robot.has("Back to the model"));
}

TEST_CASE("screens that a model has nothing for cannot be chosen") {
  const TemporaryDirectory directory;
  write_small_bert(directory / "bare");
  std::string config = read_whole(directory / "bare/config.json", 1 << 20);
  const std::string with_head = "BertForMaskedLM";
  REQUIRE(config.find(with_head) != std::string::npos);
  config.replace(config.find(with_head), with_head.size(), "BertModel");
  std::ofstream(directory / "bare/config.json") << config;
  RobotOptions options;
  options.width = 1600;
  options.height = 1000;
  options.file = directory / "bare";
  Robot robot(options);
  robot.settle();
  REQUIRE(robot.document().within.read());
  const std::set<std::string> told = test::keys_drawn(robot);
  CHECK(told.contains("Switch something off below, or in Explore: everything after it follows."));
  CHECK_FALSE(
      told.contains("Switch something off below, or in Explore: everything after it follows, the prediction "
                    "too."));
  for (const char* screen : {"Grid: Atlas", "Grid: Patching", "Grid: Generate"}) {
    INFO(screen);
    robot.click(screen);
    robot.settle();
    CHECK(model_state_of(robot.app().view()).screen == ModelScreen::Heads);
  }
  robot.click("Grid: Compare");
  robot.settle();
  CHECK(model_state_of(robot.app().view()).screen == ModelScreen::Compare);
}

}  // namespace attnscope::no_model_test
