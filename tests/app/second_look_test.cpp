// Mended faults of the window: the part in sight of a replaced text, stale pictures that were not dimmed, a
// curve through rows without entropy, numbers that were shown as zeros.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "app/controls_robot.hpp"
#include "app/heads_robot.hpp"
#include "app/kit/ui/number_format.hpp"
#include "app/model_robot.hpp"
#include "app/state/regions/focus_state.hpp"
#include "app/window/render.hpp"
#include "core/engine/model/model_reading.hpp"
#include "core/files/formats/posix.hpp"
#include "robot/layout.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::second_look_test {

using namespace attnscope::test;

namespace {

const RobotOptions wide{.width = 1600, .height = 1000};

/// The texts that begin inside this widget, or `above` it by so many pixels.
std::vector<PlacedText> texts_in(Robot& robot, const std::string& label, float above = 0) {
  const RecordedItem* const item = robot.items().find(label);
  REQUIRE(item != nullptr);
  const ImVec2 min = item->min, max = item->max;
  std::vector<PlacedText> found = texts_of(robot);
  std::erase_if(found, [&](const PlacedText& text) {
    const bool is_beside = text.x0 < min.x || text.x0 > max.x;
    return is_beside || text.y0 < min.y - above || text.y1 > (above > 0 ? min.y : max.y);
  });
  return found;
}

}  // namespace

TEST_CASE("another text is seen as a whole in a layer of a model, too", "[model][focus]") {
  LettersRobot robot;
  const FocusState& focus = focus_of(robot.app().view());
  focus_of(robot.app().view()).zoom = 3;
  robot.settle();
  robot.click("##Text");
  robot.key(ImGuiKey_End);
  robot.type(" b c");
  robot.settle();
  CHECK(focus.zoom == 3);
  robot.retype("##Text", "dd");
  CHECK(focus.zoom == 1);
}

TEST_CASE("in Explore a layer looks old while its model has not read the text", "[model]") {
  LettersRobot robot;
  robot.key(ImGuiKey_F2);
  robot.leave();
  robot.settle();
  const double bright = brightness(robot, 0);
  REQUIRE(bright > 0);
  std::string longer;
  for (int i = 0; i < letters_gpt_positions; ++i) longer += "ab c ";
  type_text(robot, longer);
  robot.leave();
  robot.frame(60);
  CHECK(brightness(robot, 0) < 0.6 * bright);
  type_text(robot, "ab c de a");
  robot.leave();
  robot.settle();
  CHECK(brightness(robot, 0) > 0.9 * bright);
}

TEST_CASE("Compare draws no entropy of a row that one key has to itself", "[compare]") {
  Robot robot(wide);
  REQUIRE(robot.document().layer().masking.causal);
  robot.key(ImGuiKey_F4);
  for (const std::int64_t query : {1, 0}) {
    robot.app().looking().look_at({.head = {}, .cell = Cell{query, 0}, .cells = {}});
    robot.leave();
    robot.settle();
    const RowMeasures& row = shown(robot).measures.row(0, robot.app().selection().head, query);
    REQUIRE(row.allowed == query + 1);
    const std::vector<PlacedText> texts = texts_in(robot, "compare entropy per row");
    const bool is_told = std::ranges::find(texts, fixed(row.entropy, 2), &PlacedText::text) != texts.end();
    CHECK(is_told == (query == 1));
  }
}

TEST_CASE("what a model says of a token is of the one that is framed, locked or not", "[model]") {
  RobotOptions options = wide;
  options.file = std::filesystem::path(ATTNSCOPE_ASSETS) / "models/reader";
  Robot robot(options);
  robot.settle();
  for (const std::int64_t query : {3, 2}) {
    robot.app().looking().look_at({.head = {}, .cell = Cell{query, 1}, .cells = {}});
    robot.leave();
    robot.settle();
    REQUIRE(robot.app().model()->prediction);
    CHECK(robot.app().model()->prediction->row == query);
    robot.key(ImGuiKey_Escape);
    robot.settle();
    REQUIRE_FALSE(robot.app().selection().locked);
    CHECK(robot.app().model()->prediction->row == query);
  }
}

TEST_CASE("the last column of the residual stream is as wide as the others where there is room", "[model]") {
  LettersRobot robot;
  robot.leave();
  robot.settle();
  std::vector<PlacedText> names = texts_in(robot, "Residual stream map", 24);
  std::ranges::sort(names, {}, &PlacedText::x0);
  REQUIRE(names.size() == 4);  // the input, and the output of three layers
  const auto middle = [&](std::size_t i) { return (names[i].x0 + names[i].x1) / 2; };
  for (std::size_t i = 2; i < names.size(); ++i)
    CHECK(std::abs(middle(i) - middle(i - 1) - (middle(1) - middle(0))) < 3);
}

TEST_CASE("words of the residual stream's last column stand under its number where it is no wider",
          "[model]") {
  LettersRobot robot;
  robot.leave();
  robot.settle();
  std::vector<PlacedText> heads = texts_in(robot, "Residual stream map", 24);
  std::ranges::sort(heads, {}, &PlacedText::x0);
  REQUIRE(heads.size() == 4);
  const float middle = (heads.back().x0 + heads.back().x1) / 2;
  const RecordedItem* const map = robot.items().find("Residual stream map");
  REQUIRE(map != nullptr);
  const float last = map->max.x - (map->max.x - map->min.x) / 4;
  int words = 0;
  for (const PlacedText& text : texts_in(robot, "Residual stream map")) {
    if (text.x0 < last) continue;
    ++words;
    CHECK(std::abs((text.x0 + text.x1) / 2 - middle) < 3);
  }
  CHECK(words > 0);
}

TEST_CASE("a long name above numbered columns leaves the room to the head's picture", "[model]") {
  RobotOptions options{.width = 1280, .height = 720};
  options.file = std::filesystem::path(ATTNSCOPE_SHARED) / "vectors/tiny_models/llama";
  if (!exists(*options.file)) SKIP("no folder shared/vectors/tiny_models");
  Robot robot(options);
  robot.leave();
  robot.settle();
  const RecordedItem* const map = robot.items().find("model map 0");
  REQUIRE(map != nullptr);
  REQUIRE(shown(robot).dimensions.queries == 38);  // the first token is <|begin_of_text|>
  CHECK(map->max.y - map->min.y >= 3 * 38);
}

TEST_CASE("render draws a lesson's file as the lesson, as the window opens it", "[render][lessons]") {
  const TemporaryDirectory directory;
  RenderOptions request;
  request.file = std::filesystem::path(ATTNSCOPE_ASSETS) / "lessons/04-why-divide.md";
  request.out = directory / "lesson.svg";
  render_picture(request);
  const std::string drawn = read_whole(directory / "lesson.svg", 1 << 24);
  CHECK(drawn.find("step 1 of 9") != std::string::npos);
  CHECK(drawn.find("lesson: ") == std::string::npos);  // its source
}

TEST_CASE("the key of a head's menu opens it from the grid of a model", "[model]") {
  LettersRobot robot;
  REQUIRE(robot.app().view().mode == Mode::Model);
  robot.key(ImGuiKey_H, ImGuiMod_Shift);
  robot.frame(4);
  CHECK(robot.app().view().mode == Mode::Explore);
  CHECK(keys_drawn(robot).contains("Build its weights to look at"));
}

}  // namespace attnscope::second_look_test
