// The stages of vectors in the focus: every tensor of the computation can be shown.
#include "app/views/parts/vector_map.hpp"

#include <algorithm>

#include <catch2/catch_test_macros.hpp>

#include "app/controls_robot.hpp"
#include "app/state/regions/stage_look.hpp"
#include "robot/layout.hpp"

namespace attnscope::vector_map_test {

using namespace attnscope::test;

TEST_CASE("every stage of vectors can be looked at, and a row of it chosen") {
  Robot robot;
  robot.settle();
  for (const Stage stage : {Stage::Embed, Stage::Position, Stage::Query, Stage::Key, Stage::Value, Stage::Mix,
                            Stage::Concat, Stage::Output}) {
    INFO("stage " << info(stage).name);
    choose(robot, "Other stages", vector_words(stage).name);
    REQUIRE(stage_look_of(robot.app().view()).vectors == stage);
    REQUIRE(robot.has("vector map"));
    CHECK_FALSE(robot.has("heatmap 0"));
  }
  choose(robot, "Other stages", vector_words(Stage::Key).name);
  const std::int64_t query = robot.app().selection().cell.query;
  robot.click("vector map");  // its middle: a key of the lower half
  robot.leave();
  robot.frame();
  CHECK(robot.app().selection().cell.key == 3);
  CHECK(robot.app().selection().cell.query == query);
  click(robot, "Stage: Scores");
  CHECK_FALSE(stage_look_of(robot.app().view()).vectors);
  CHECK(robot.has("heatmap 0"));
}

TEST_CASE("stages of vectors come and go with the settings") {
  Robot robot(tall);
  robot.settle();
  const auto there = [&](Stage stage) {
    const std::vector<Stage> stages = vector_stages(shown(robot));
    return std::find(stages.begin(), stages.end(), stage) != stages.end();
  };
  CHECK_FALSE(there(Stage::RotateQuery));
  CHECK_FALSE(there(Stage::Memory));
  choose(robot, "Positions kind", "RoPE, halves");
  CHECK(there(Stage::RotateQuery));
  CHECK(there(Stage::RotateKey));
  CHECK_FALSE(there(Stage::Position));  // nothing is added to the vectors
  choose(robot, "Other stages", vector_words(Stage::RotateKey).name);
  CHECK(stage_look_of(robot.app().view()).vectors == Stage::RotateKey);
  const Image rotated = robot.pixels();
  robot.type_number("RoPE base value", "20");
  CHECK(robot.pixels().pixels != rotated.pixels);
  robot.app().files().opening.open(std::filesystem::path(ATTNSCOPE_ASSETS) / "examples" /
                                   "2-three-tokens.json");
  robot.settle();
  CHECK(robot.has(stage_look_of(robot.app().view()).vectors
                      ? "vector map"
                      : "heatmap 0"));  // never a picture that does not exist
}

TEST_CASE("grouped queries: the keys say which heads share them") {
  const std::filesystem::path examples = std::filesystem::path(ATTNSCOPE_ASSETS) / "examples";
  Robot robot({.width = 1600, .height = 1000, .file = examples / "9-grouped-queries.json"});
  robot.settle();
  REQUIRE(stage_look_of(robot.app().view()).vectors == Stage::Key);
  const auto says = [&](std::string_view words) {
    const std::vector<PlacedText> texts = texts_of(robot);
    return std::any_of(texts.begin(), texts.end(),
                       [&](const PlacedText& t) { return t.text.find(words) != std::string::npos; });
  };
  CHECK(says("Shared by heads 0 – 3."));
  robot.app().looking().look_at({.head = 5, .cell = {}, .cells = {}});
  robot.settle();
  CHECK(says("Shared by heads 4 – 7."));
}

}  // namespace attnscope::vector_map_test
