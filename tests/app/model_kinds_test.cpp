// Models of other kinds than decoders on every screen of the model: what they have is shown, what they do not
// have is said in a sentence.
#include <algorithm>
#include <filesystem>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "app/model_robot.hpp"
#include "app/state/model_state.hpp"
#include "robot/layout.hpp"

namespace attnscope::model_kinds_test {
namespace {

using namespace attnscope::test;
namespace fs = std::filesystem;

const fs::path models = fs::path(ATTNSCOPE_SHARED) / "vectors/tiny_models";

bool has_sentence(Robot& robot) {
  for (const PlacedText& text : texts_of(robot))
    if (text.text.size() > 30 && text.text.find(' ') != std::string::npos) return true;
  return false;
}

}  // namespace

TEST_CASE("encoders, encoder-decoders and models of pictures stand on every screen", "[model]") {
  if (!fs::exists(models)) SKIP("no folder shared/vectors/tiny_models");
  for (const char* name : {"bert", "distilbert", "t5", "vit", "gpt_neox"}) {
    INFO(name);
    RobotOptions options;
    options.width = 1600;
    options.height = 1000;
    options.file = models / name;
    Robot robot(options);
    robot.settle();
    if (!robot.document().within.read()) {
      CHECK_FALSE(robot.app().message().empty());
      continue;
    }
    CHECK(robot.app().view().mode == Mode::Model);
    const struct {
      ModelScreen screen;
      std::vector<const char*> parts;  // one of them is there, or a sentence
    } screens[] = {{ModelScreen::Heads, {"All heads"}},
                   {ModelScreen::Why, {"cell score"}},
                   {ModelScreen::Atlas, {"Atlas of heads"}},
                   {ModelScreen::Patching, {"Patched heads"}}};
    for (const auto& [screen, parts] : screens) {
      INFO(static_cast<int>(screen));
      robot.app().view().model->screen = screen;
      robot.settle();
      const bool shown =
          std::any_of(parts.begin(), parts.end(), [&](const char* part) { return robot.has(part); });
      CHECK((shown || has_sentence(robot)));
      for (const std::string& sentence : collisions(texts_of(robot))) FAIL_CHECK(sentence);
    }
  }
}

}  // namespace attnscope::model_kinds_test
