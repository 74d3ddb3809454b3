// Texts on screen are legible: no words overlap, none is cut where there is room, no character is replaced by
// another.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "app/focus_robot.hpp"
#include "app/model_robot.hpp"
#include "app/pages/experiments/experiment_state.hpp"
#include "app/pages/experiments/words.hpp"
#include "robot/layout.hpp"

namespace attnscope::legible_test {
namespace {

using namespace attnscope::test;

const RobotOptions wide{.width = 1600, .height = 1000};

/// The width in pixels of the read-out beside the mouse: nothing else here has its colour.
int width_of_read_out(Robot& robot, const SeenMap& map, const Box& cell) {
  robot.leave();
  robot.frame(2);
  const Image before = robot.pixels();
  robot.move({cell.centre_x(), cell.centre_y()});
  robot.frame(2);
  const Image after = robot.pixels();
  const Rgba raised = theme(ThemeName::Dark).raised;
  int first = after.width, last = -1;
  for (int y = static_cast<int>(map.box.y) - 40; y < static_cast<int>(map.box.bottom()) + 40; ++y)
    for (int x = static_cast<int>(map.box.x) - 60; x < static_cast<int>(map.box.right()) + 160; ++x)
      if (after.at(x, y) == raised && before.at(x, y) != raised) {
        first = std::min(first, x);
        last = std::max(last, x);
      }
  REQUIRE(last > first);
  return last - first;
}

float width_of(const std::string& text) {
  return ImGui::GetIO().Fonts->Fonts[0]->CalcTextSizeA(type::label, FLT_MAX, 0, text.c_str()).x;
}

}  // namespace

TEST_CASE("legible: the read-out of a row without a key is whole") {
  Robot robot(tall);
  click(robot, "More: Mask");
  choose(robot, "Mistake", "Diagonal hidden");
  robot.retype("##Text", "a a a a a a");  // all labels are as long
  robot.key(ImGuiKey_Escape);
  robot.settle();
  REQUIRE(shown(robot).measures.row(0, 0, 0).allowed == 0);
  REQUIRE(shown(robot).measures.row(0, 0, 3).allowed == 3);
  SeenMap map(robot);
  const int masked = width_of_read_out(robot, map, map.cell(robot, {3, 3}));
  const int without_key = width_of_read_out(robot, map, map.cell(robot, {0, 0}));
  const float more = width_of("masked, no key in this row") - width_of("masked");
  CHECK(static_cast<float>(without_key - masked) > 0.9f * more);
}

TEST_CASE("legible: a column's label of one sign is not turned") {
  Robot robot(wide);
  robot.retype("##Text", "I saw what I saw and then I went away .");
  robot.key(ImGuiKey_Escape);
  robot.settle();
  const Box map = box_of(robot, "heatmap 0");
  int found = 0;
  for (const PlacedText& text : texts_of(robot)) {
    const bool is_of_column =
        text.x0 > map.x && text.x1 < map.right() && text.y1 <= map.y && text.y0 > map.y - 40;
    if (!is_of_column || (text.text != "I" && text.text != ".")) continue;
    ++found;
    CHECK(text.y1 - text.y0 > text.x1 - text.x0);  // turned, it is as wide as capitals are high
  }
  CHECK(found == 4);
}

TEST_CASE("legible: a wide sign lies as well, in the map and in the walk") {
  Robot robot(wide);
  robot.retype("##Text", "I saw W what W I saw and then I went away .");
  robot.key(ImGuiKey_Escape);
  for (const Mode mode : {Mode::Explore, Mode::Walk}) {
    robot.app().view().mode = mode;
    robot.settle();
    int found = 0;
    for (const PlacedText& text : texts_of(robot)) {
      if (text.text != "W") continue;
      ++found;
      CHECK(text.y1 - text.y0 > text.x1 - text.x0);  // turned, it is as wide as the font is high
    }
    CHECK(found >= 4);
  }
}

TEST_CASE("legible: the names of a long text's strip and axis stand clear of its numbers") {
  Robot robot(wide);
  std::string text;
  for (int i = 0; i < 240; ++i) text += i % 3 == 0 ? "cat " : i % 3 == 1 ? "mat " : "sat ";
  robot.retype("##Text", text);
  robot.key(ImGuiKey_Escape);
  for (const Cell cell : {Cell{120, 60}, Cell{120, 0}, Cell{0, 0}}) {
    robot.app().looking().look_at({.head = {}, .cell = cell, .cells = {}});
    robot.settle();
    const std::vector<PlacedText> texts = texts_of(robot);
    CHECK(std::ranges::any_of(texts, [](const PlacedText& placed) { return placed.text == "Σ queries"; }));
    for (const std::string& pair : collisions(texts)) {
      INFO(pair);
      CHECK(pair.find("Σ queries") == std::string::npos);
      CHECK(pair.find("query ↓") == std::string::npos);
    }
  }
}

TEST_CASE("legible: the heads of the scores' columns stand apart in German", "[model]") {
  LettersRobot robot({.blocks = 30});
  robot.app().view().language = "de";
  robot.settle();
  REQUIRE(shows(robot, "von 120"));
  for (const std::string& pair : collisions(texts_of(robot))) {
    INFO(pair);
    CHECK(pair.find("von 120") == std::string::npos);
  }
}

TEST_CASE("legible: the divergence says what it is by", "[model]") {
  LettersRobot robot;
  robot.click("Divide by √dₖ");
  robot.settle();
  CHECK(keys_drawn(robot).contains("nats, by the change"));
}

TEST_CASE("legible: in front of a room no title stands under what lies beside or below it", "[model]") {
  const auto check = [](Robot& robot, const std::vector<std::string>& titles) {
    robot.key(ImGuiKey_F5);
    robot.settle();
    for (const std::string& pair : collisions(texts_of(robot))) {
      INFO(pair);
      for (const std::string& title : titles) CHECK(pair.find("\"" + title + "\"") == std::string::npos);
    }
  };
  const std::vector<std::pair<int, int>> sizes{{1280, 720}, {1600, 1000}, {1920, 1080}};
  for (const auto& [width, height] : sizes) {
    INFO(width << " x " << height);
    {
      LettersRobot robot({.width = width, .height = height});
      check(robot, {"All heads", "Residual stream"});
    }
    for (const ImGuiKey page : {ImGuiKey_F9, ImGuiKey_F10}) {
      Robot robot({.width = width, .height = height});
      robot.key(page);
      robot.settle();
      check(robot, {"Spread of scores", "Entropy of a row", "Loss", "Accuracy", "Previous", "Time"});
    }
  }
}

TEST_CASE("legible: the title of the chosen experiment is whole in its list", "[experiments]") {
  Robot robot({.width = 1280, .height = 720, .system_fonts = true});
  robot.key(ImGuiKey_F9);
  for (const ExperimentWords& words : experiment_words()) {
    INFO(words.name);
    experiment_of(robot.app().view()).name = words.name;
    robot.frame(2);
    const auto is_title = [&](const PlacedText& text) { return text.text == words.title && text.x1 < 184; };
    CHECK(std::ranges::any_of(texts_of(robot), is_title));
  }
}

}  // namespace attnscope::legible_test
