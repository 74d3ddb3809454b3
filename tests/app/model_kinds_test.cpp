// Models other than decoders on every page of the model: a page shows what they have, and a sentence says
// what they lack.
#include <algorithm>
#include <filesystem>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "app/kit/ui/number_format.hpp"
#include "app/model_robot.hpp"
#include "app/pages/model/state/model_state.hpp"
#include "core/engine/model/model_reading.hpp"
#include "robot/layout.hpp"
#include "support/other_head.hpp"
#include "support/small_folders.hpp"

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
      std::vector<const char*> parts;  // one of them is shown, or a sentence
    } screens[] = {{ModelScreen::Heads, {"All heads"}},
                   {ModelScreen::Why, {"cell score"}},
                   {ModelScreen::Atlas, {"Atlas of heads"}},
                   {ModelScreen::Patching, {"Patched heads"}}};
    for (const auto& [screen, parts] : screens) {
      INFO(static_cast<int>(screen));
      model_state_of(robot.app().view()).screen = screen;
      robot.settle();
      const bool shown =
          std::any_of(parts.begin(), parts.end(), [&](const char* part) { return robot.has(part); });
      CHECK((shown || has_sentence(robot)));
      for (const std::string& sentence : collisions(texts_of(robot))) FAIL_CHECK(sentence);
    }
  }
}

TEST_CASE("a model of one number for its input shows the number, not that it is certain", "[model]") {
  const TemporaryDirectory directory;
  write_small_bert(directory / "bert", "bert_classify");
  write_with_head(directory / "bert", {"bert_classify", "BertForSequenceClassification",
                                       "BertForMultipleChoice", "classifier", 1});
  RobotOptions options;
  options.width = 1600;
  options.height = 1000;
  options.file = directory / "bert";
  Robot robot(options);
  robot.settle();
  const auto number = [](const std::vector<float>& logits) {
    return fixed(static_cast<double>(logits.front()), 3);
  };
  REQUIRE(robot.app().model());
  REQUIRE(robot.app().model()->prediction);
  CHECK(shows(robot, "Score"));
  CHECK(shows(robot, "choice"));
  CHECK(shows(robot, number(robot.app().model()->prediction->after)));
  CHECK_FALSE(shows(robot, "100.0"));
  robot.app().view().mode = Mode::Explore;
  robot.settle();
  CHECK_FALSE(shows(robot, "100.0 %"));
}

}  // namespace attnscope::model_kinds_test
