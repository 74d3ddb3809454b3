// Input that must not break the window: bad numbers, bad files, long texts, odd window sizes.
#include <algorithm>
#include <fstream>
#include <string>

#include <catch2/catch_test_macros.hpp>

#include "robot/robot.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::limits_test {

namespace {

const std::filesystem::path examples = std::filesystem::path(ATTNSCOPE_ASSETS) / "examples";

}  // namespace

TEST_CASE("the text follows every keystroke and an empty one keeps the last picture") {
  Robot robot;
  robot.settle();
  robot.retype("##Text", "one");
  robot.type(" two");
  robot.settle();
  CHECK(robot.document().input.sequences[0].tokens.size() == 2);
  robot.key(ImGuiKey_A, ImGuiMod_Ctrl);
  robot.key(ImGuiKey_Backspace);
  robot.settle();
  CHECK(robot.document().input.sequences[0].tokens.empty());
  CHECK_FALSE(robot.app().message().empty());
  CHECK(robot.app().shown()->layer().dimensions.keys == 2);
  robot.type("back");
  robot.settle();
  CHECK(robot.app().message().empty());
  CHECK(robot.app().shown()->layer().dimensions.keys == 1);
}

TEST_CASE("seven heads do not fit a width of 64, and the window says so and goes on") {
  Robot robot({.width = 1600, .height = 1000});
  robot.settle();
  robot.type_number("Head count value", "7");
  CHECK(robot.app().message().find('7') != std::string::npos);
  CHECK(robot.app().message().find("64") != std::string::npos);
  CHECK(robot.app().shown()->layer().dimensions.heads == 8);
  robot.type_number("Head count value", "0");
  CHECK_FALSE(robot.app().message().empty());
  robot.type_number("Head count value", "4");
  CHECK(robot.app().message().empty());
  CHECK(robot.app().shown()->layer().dimensions.heads == 4);
  robot.click("Head count more");
  robot.settle();
  CHECK(robot.app().shown()->layer().dimensions.heads == 8);
  robot.click("d_model more");
  robot.settle();
  CHECK(robot.app().shown()->layer().dimensions.d_model == 128);
}

TEST_CASE("a file that is no document is refused by name and nothing is lost") {
  Robot robot;
  robot.settle();
  const Document before = robot.document();
  robot.app().files().opening.open("/nonexistent/model.safetensors");
  robot.settle();
  CHECK(robot.app().message().find("model.safetensors") != std::string::npos);
  CHECK(robot.document() == before);
  robot.click("Dismiss");
  robot.frame();
  CHECK(robot.app().message().empty());
}

TEST_CASE("NaN and infinity in Q are computed, marked and told in a sentence") {
  const test::TemporaryDirectory directory;
  const std::filesystem::path path = directory / "odd.json";
  std::ofstream(path)
      << R"({"attnscope": 1, "title": "odd", "given": {"query": [[[["NaN", 1], [1, "Infinity"], [1, 0]]]],
    "key": [[[[1, 0], [0, 1], [1, 1]]]], "value": [[[[1], [2], [3]]]]}})";
  Robot robot;
  robot.settle();
  robot.app().files().opening.open(path);
  robot.settle();
  CHECK(robot.app().message() ==
        "Q holds 1 NaN and 1 infinite value; they are computed as they are and marked.");
  REQUIRE(robot.document().title == "odd");
  CHECK(robot.app().shown()->layer().measures.head(0, 0).not_finite > 0);
  const Image picture = robot.pixels();
  const Rgba magenta = theme(ThemeName::Dark).nan;
  CHECK(std::count(picture.pixels.begin(), picture.pixels.end(), magenta) > 100);
}

TEST_CASE("a text typed beyond what can be kept is swept, and Ctrl+Z brings the short one back") {
  Robot robot;
  robot.settle();
  std::string text;
  for (int i = 0; i < 2100; ++i) text += "word" + std::to_string(i) + " ";
  robot.retype("##Text", text);
  CHECK(robot.app().message().empty());
  CHECK(robot.app().shown()->layer().dimensions.keys == 2100);
  CHECK(robot.app().shown()->layer().is_long());
  CHECK(robot.app().shown()->layer().is_complete());
  robot.frame(40);  // what was typed in one go is one step of the history
  robot.key(ImGuiKey_Z, ImGuiMod_Ctrl);
  robot.settle();
  CHECK(robot.app().shown()->layer().dimensions.keys == 6);
  CHECK_FALSE(robot.app().shown()->layer().is_long());
}

TEST_CASE("a frame in which nothing changed paints nothing") {
  Robot robot;
  robot.settle();
  robot.leave();
  robot.frame(3);
  const Image before = robot.pixels();
  robot.frame();
  CHECK(robot.app().textures().painted() == 0);
  CHECK(robot.app().settled());
  CHECK((robot.pixels() == before));
}

TEST_CASE("any size and scale is drawn, down to one pixel") {
  const std::pair<int, int> sizes[] = {{1, 1}, {40, 30}, {320, 240}, {700, 900}, {1280, 720}, {2560, 400}};
  for (const auto& [width, height] : sizes) {
    for (const float scale : {0.75f, 1.5f, 3.0f}) {
      Robot robot({.width = width, .height = height, .scale = scale, .file = examples / "3-two-banks.json"});
      robot.settle();
      robot.move({static_cast<float>(width) / 2, static_cast<float>(height) / 2});
      robot.settle();
      CHECK(robot.app().message().empty());
    }
  }
}

TEST_CASE("painting long pictures is spread over frames and ends with all of them") {
  const test::TemporaryDirectory directory;
  std::string text;
  for (int i = 0; i < 900; ++i) text += "word" + std::to_string(i % 50) + " ";
  std::ofstream(directory / "long.txt") << text;
  Robot robot({.width = 1600, .height = 1000, .file = directory / "long.txt"});
  robot.settle();
  CHECK(robot.app().textures().postponed() == 0);
  robot.leave();
  robot.frame(2);
  const Image before = robot.pixels();
  for (int i = 0; i < 2; ++i) {
    robot.key(ImGuiKey_C);
    robot.settle();
    CHECK(robot.app().textures().postponed() == 0);
  }
  robot.click_at(robot.centre("Weights"));  // a control that does not change the heads
  robot.settle();
  CHECK(robot.app().shown()->document.layer().masking == Masking{});
  // The heads' pictures are the same again, and none of them is stale.
  const ImVec2 head = robot.centre("head 7");
  const auto x = static_cast<int>(head.x), y = static_cast<int>(head.y);
  const Image after = robot.pixels();
  for (int dy = -20; dy < 20; ++dy) {
    for (int dx = -20; dx < 20; ++dx) REQUIRE(after.at(x + dx, y + dy) == before.at(x + dx, y + dy));
  }
}

}  // namespace attnscope::limits_test
