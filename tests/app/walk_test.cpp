// Walk: every move forwards and back, every control, the same cell in every stage.
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "app/walk/walk_state.hpp"
#include "app/walk_robot.hpp"

namespace attnscope::walk_test {

using test::says;
using test::Walker;

TEST_CASE("so many moves forwards and back are the same pixels") {
  Walker robot({.width = 1280, .height = 720});
  walk_of(robot.app().view()).speed = 0;
  robot.settle();
  REQUIRE(robot.place() == 0);
  std::vector<Image> pictures{robot.pixels()};
  for (int i = 1; i <= robot.moves(); ++i) {
    robot.press(ImGuiKey_Space);
    CHECK(robot.place() == i);
    pictures.push_back(robot.pixels());
    CHECK_FALSE((pictures.back() == pictures[pictures.size() - 2]));
  }
  robot.press(ImGuiKey_Space);  // there is nothing after the last one
  CHECK(robot.place() == robot.moves());
  for (int i = robot.moves(); i >= 0; --i) {
    INFO("after " << i << " moves");
    CHECK((robot.pixels() == pictures[static_cast<std::size_t>(i)]));
    robot.press(ImGuiKey_Backspace);
  }
  CHECK(robot.place() == 0);
}

TEST_CASE("a move fades in for a fifth of a second, then the window is idle") {
  Walker robot;
  CHECK_FALSE(robot.app().wants_frame());
  robot.key(ImGuiKey_Space);
  CHECK(robot.app().wants_frame());
  const Image moving = robot.pixels();
  int frames = 0;
  for (; robot.app().wants_frame(); ++frames) robot.frame();
  CHECK(frames >= 8);
  CHECK(frames <= 12);
  robot.frame();
  CHECK_FALSE((robot.pixels() == moving));
  CHECK(robot.app().textures().painted() == 0);
  const Image moved = robot.pixels();
  robot.go(Stage::Position, 1);  // the end of a stage does not depend on how it was reached
  CHECK((robot.pixels() == moved));
  robot.key(ImGuiKey_Backspace);  // going back is not animated
  CHECK_FALSE(robot.app().wants_frame());
  robot.tap("Speed: Instant");
  robot.key(ImGuiKey_Space);
  CHECK_FALSE(robot.app().wants_frame());
  CHECK(robot.place() == 1);
}

TEST_CASE("stages, ends, playing and pausing by keyboard") {
  Walker robot;
  robot.press(ImGuiKey_PageDown);
  CHECK(robot.state().stage == Stage::Position);
  robot.press(ImGuiKey_PageDown);
  CHECK(robot.state().stage == Stage::Query);
  CHECK(robot.state().move == 2);
  robot.press(ImGuiKey_Backspace);
  CHECK(robot.state().move == 1);
  robot.press(ImGuiKey_PageUp);
  CHECK(robot.state().stage == Stage::Position);
  robot.press(ImGuiKey_End);
  CHECK(robot.place() == robot.moves());
  CHECK(robot.state().stage == Stage::Output);
  robot.press(ImGuiKey_Home);
  CHECK(robot.place() == 0);
  robot.key(ImGuiKey_Space, ImGuiMod_Shift);
  CHECK(robot.state().playing);
  robot.frame(80);  // 1.3 s: the first move at once, the second after 0.9 s
  CHECK(robot.place() == 2);
  robot.key(ImGuiKey_Space, ImGuiMod_Shift);
  CHECK_FALSE(robot.state().playing);
  robot.settle();
  CHECK(robot.place() == 2);
}

TEST_CASE("every button, the speeds, the scrubber and the names") {
  Walker robot;
  robot.tap("One move");
  robot.tap("One move");
  CHECK(robot.place() == 2);
  robot.tap("One move back");
  CHECK(robot.place() == 1);
  const std::pair<const char*, float> speeds[] = {
      {"Speed: ½×", 0.5f}, {"Speed: 2×", 2}, {"Speed: 1×", 1}, {"Speed: Instant", 0}};
  for (const auto& [label, speed] : speeds) {
    robot.tap(label);
    CHECK(robot.state().speed == speed);
  }
  robot.tap("Play");  // instant: the end at once
  CHECK(robot.place() == robot.moves());
  CHECK_FALSE(robot.state().playing);
  robot.tap("Speed: 2×");
  robot.click("Play");  // from the start
  CHECK(robot.state().playing);
  CHECK(robot.place() <= 1);
  robot.click("Play");
  CHECK_FALSE(robot.state().playing);
  const RecordedItem bar = robot.panel("Scrubber");
  const float y = (bar.min.y + bar.max.y) / 2;
  robot.drag({bar.min.x + 10, y}, {bar.max.x - 9, y}, 8);
  robot.settle();
  CHECK(robot.place() == robot.moves());
  robot.drag({bar.max.x - 9, y}, {bar.min.x + 2, y}, 8);
  CHECK(robot.place() == 0);
  robot.tap("walk Weights name");
  CHECK(robot.state().stage == Stage::Softmax);
  CHECK(robot.state().move == 4);
  // A button that has the keyboard is pressed by the space bar; the walk does not move as well.
  robot.press(ImGuiKey_Tab);
  REQUIRE(ImGui::GetIO().NavVisible);
  const int place = robot.place();
  robot.press(ImGuiKey_Space);
  CHECK(robot.place() == place);
}

TEST_CASE("the same cell is marked in every stage: clicks keep it, hovering previews it") {
  Walker robot;
  robot.move(robot.cell("walk Masked logits", 4, 1, 6, 6));
  robot.frame();
  CHECK(robot.app().selection().hovered_cell == Cell{4, 1});
  robot.leave();
  robot.frame();
  CHECK_FALSE(robot.app().selection().hovered_cell);
  const Image before = robot.pixels();
  robot.click_at(robot.cell("walk Weights", 5, 2, 6, 6));
  robot.leave();
  robot.settle();
  CHECK(robot.app().selection().cell == Cell{5, 2});
  CHECK(robot.app().selection().locked);
  CHECK_FALSE((robot.pixels() == before));
  robot.click_at(robot.cell("walk Q", 1, 3, 6, 8));  // the query of a row, and a dimension
  CHECK(robot.app().selection().cell == Cell{1, 2});
  CHECK(robot.state().head_dimension == 3);
  robot.click_at(robot.cell("walk K", 0, 5, 6, 8));  // the key
  CHECK(robot.app().selection().cell == Cell{1, 0});
  CHECK(robot.state().head_dimension == 5);
  robot.click_at(robot.cell("walk V", 4, 1, 6, 8));
  CHECK(robot.app().selection().cell == Cell{1, 4});
  CHECK(robot.state().value_dimension == 1);
  robot.click_at(robot.cell("walk Head outputs", 3, 2, 6, 8));
  CHECK(robot.app().selection().cell == Cell{3, 4});
  CHECK(robot.state().value_dimension == 2);
  robot.click_at(robot.cell("walk Output", 2, 9, 6, 64));
  CHECK(robot.app().selection().cell == Cell{2, 4});
  CHECK(robot.state().model_dimension == 9);
  robot.click_at(robot.cell("walk X", 5, 7, 6, 64));
  CHECK(robot.app().selection().cell == Cell{5, 4});
  CHECK(robot.state().model_dimension == 7);
  robot.click_at(robot.cell("walk W_Q", 9, 6, 64, 8));  // parameters have no cell, but a dimension
  CHECK(robot.app().selection().cell == Cell{5, 4});
  CHECK(robot.state().head_dimension == 6);
}

TEST_CASE("heads and sequences are chosen in the walk") {
  Walker robot({.width = 1600,
                .height = 1000,
                .file = std::filesystem::path(ATTNSCOPE_ASSETS) / "examples" / "3-two-banks.json"});
  const Image first = robot.pixels();
  robot.tap("Walk head more");
  CHECK(robot.app().selection().head == 4);
  CHECK_FALSE((robot.pixels() == first));
  robot.tap("Walk head less");
  robot.tap("Walk sequence more");
  CHECK(robot.app().selection().sequence == 1);
  CHECK(says(robot, "text 2 of 2"));
  robot.tap("Walk sequence more");  // wraps around
  CHECK(robot.app().selection().sequence == 0);
  CHECK((robot.pixels() == first));
}

TEST_CASE("a formula that was cut to what fits is drawn without the marks of own words") {
  RobotOptions options{.width = 1280, .height = 720};
  options.file = std::filesystem::path(ATTNSCOPE_ASSETS) / "models/induction";
  bool is_cut = false;
  for (const int width : {1100, 1280, 1600, 1920}) {
    INFO(width);
    options.width = width;
    Walker robot(options);
    robot.press(ImGuiKey_F5);  // larger letters: "Y = C·W_O + b_O" becomes "C·W_O + b_O"
    for (const PlacedText& text : texts_of(robot)) {
      CHECK_FALSE(text.text.empty());  // nothing but a mark, which is drawn as a box
      is_cut = is_cut || (text.text.ends_with("·W") && text.text.find('=') == std::string::npos);
    }
  }
  CHECK(is_cut);
}

}  // namespace attnscope::walk_test
