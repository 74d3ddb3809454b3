// What is not cut on the Model page of a small window: the caption over the large picture of a head whose
// text is too long for labels, and the changes inside.
#include <algorithm>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "app/model_robot.hpp"
#include "app/state/regions/focus_state.hpp"
#include "robot/layout.hpp"

namespace attnscope::model_caption_test {
namespace {

using namespace attnscope::test;

/// The mouse on a head of another layer than the one on screen, which is drawn from the run.
void point_at_another_layer(Robot& robot) {
  const RecordedItem* const grid = robot.items().find("All heads");
  REQUIRE(grid != nullptr);
  const ImVec2 from = grid->min, to = grid->max;
  for (float y = from.y + 8; y < to.y; y += 20)
    for (float x = from.x + 40; x < to.x; x += 20) {
      robot.move({x, y});
      robot.frame(2);
      const std::optional<ModelHead> head = model_state(robot).hovered;
      if (head && static_cast<int>(head->block) != static_cast<int>(model_within(robot).block))
        return robot.settle();
    }
  FAIL("no head of another layer is in sight");
}

/// The words about the colours over the large picture.
std::vector<std::string> words_over_picture(Robot& robot) {
  const RecordedItem* const grid = robot.items().find("All heads");
  REQUIRE(grid != nullptr);
  const float right = grid->max.x;
  std::vector<std::string> words;
  for (const PlacedText& text : texts_of(robot)) {
    const auto begins = [&](std::string_view with) { return text.text.starts_with(with); };
    if (text.x0 > right && (begins("max") || begins("log 1e") || begins("largest") || begins("größtes")))
      words.push_back(text.text);
  }
  return words;
}

}  // namespace

TEST_CASE("no word over the large picture of a pooled head is cut", "[model][german]") {
  const TemporaryDirectory directory;
  constexpr int positions = 1024;
  RobotOptions options = with_letters(directory);
  options.system_fonts = true;
  std::ofstream(directory / "letters" / "config.json") << fmt::format(
      R"({{"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "n_embd": 16, "n_head": 4,
        "n_layer": 3, "n_positions": {}, "vocab_size": 8, "eos_token_id": 7}})",
      positions);
  write_random_gpt(directory / "letters", {3, 16, 8, positions});
  std::string text;
  for (int i = 0; i < 620; ++i) text += "acdecadceedc"[i * 7 % 12];
  Robot robot(options);
  type_text(robot, text);
  for (const auto& [width, height] : {std::pair{1280, 720}, std::pair{1600, 1000}})
    for (const char* language : {"en", "de"})
      for (const bool log : {false, true}) {
        robot.resize(width, height);
        robot.app().view().language = language;
        focus_of(robot.app().view()).log = log;
        robot.leave();
        robot.settle();
        point_at_another_layer(robot);
        const std::vector<std::string> words = words_over_picture(robot);
        INFO(width << " × " << height << ", " << language << ", " << log);
        REQUIRE(words.size() == 1);
        CHECK_FALSE(words.front().ends_with("…"));
        CHECK(words.front().find(log ? "1e−4" : "≥") != std::string::npos);
      }
}

TEST_CASE("of a change of several settings each is read in a small window", "[model]") {
  const TemporaryDirectory directory;
  RobotOptions options = with_letters(directory, {.width = 1280, .height = 720});
  options.system_fonts = true;
  options.file = directory.write("s.json", R"({"attnscope": 1, "model": {
    "path": "letters", "text": "ab c de a", "block": 1, "heads": [{"block": 2, "head": 1}],
    "blocks": [{"block": 1, "temperature": 2, "attention_off": true, "mlp_off": true}]}})");
  Robot robot(options);
  robot.key(ImGuiKey_F7);
  robot.settle();
  const RecordedItem* const found = robot.items().find("layer 1 · temperature 2 · attention off · MLP off");
  REQUIRE(found != nullptr);
  const RecordedItem change = *found;
  float below = change.min.y;
  const std::vector<PlacedText> texts = texts_of(robot);
  for (const std::string words : {"layer 1", "temperature 2", "attention off", "MLP off"}) {
    INFO(words);
    const auto is_there = [&](const PlacedText& text) {
      return text.text == words && text.y0 > below && text.y1 < change.max.y && text.x1 < change.max.x;
    };
    const auto text = std::ranges::find_if(texts, is_there);
    REQUIRE(text != texts.end());
    below = text->y1;
  }
  // A change with room for all of it stays one line.
  CHECK(std::ranges::any_of(texts, [](const PlacedText& text) { return text.text == "head 2.1 · zeroed"; }));
}

}  // namespace attnscope::model_caption_test
