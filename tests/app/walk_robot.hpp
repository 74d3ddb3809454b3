// tests/app: a robot with Walk, for the tests that use it.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "app/walk/script.hpp"
#include "app/walk/walk_state.hpp"
#include "robot/layout.hpp"
#include "robot/robot.hpp"

namespace attnscope::test {

/// A robot with the walk through a document, the mouse outside.
struct Walker : Robot {
  explicit Walker(const RobotOptions& options = {.width = 1600, .height = 1000}) : Robot(options) {
    key(ImGuiKey_F3);
    leave();
    settle();
  }
  const WalkState& state() { return walk_of(app().view()); }
  const LayerResult& result() { return app().shown()->layer(); }
  int place() { return walk::Script(result()).place(state()); }
  int moves() { return walk::Script(result()).moves(); }
  void press(ImGuiKey which, int mods = 0) {
    key(which, mods);
    settle();
  }
  void tap(std::string_view label) {
    click(label);
    settle();
    leave();
  }
  void go(Stage stage, int move) {
    const walk::Script script(result());
    script.go(walk_of(app().view()), script.first(stage) + move);
    settle();
  }
  const RecordedItem& panel(std::string_view label) {
    const RecordedItem* item = items().find(label);
    REQUIRE(item != nullptr);
    return *item;
  }
  /// The middle of a cell.
  ImVec2 cell(std::string_view label, int row, int column, int rows, int columns) {
    const RecordedItem& p = panel(label);
    const auto at = [](float low, float high, int i, int n) {
      return low + (high - low) * (static_cast<float>(i) + 0.5f) / static_cast<float>(n);
    };
    return {at(p.min.x, p.max.x, column, columns), at(p.min.y, p.max.y, row, rows)};
  }
};

inline bool says(Walker& robot, std::string_view words) {
  const std::vector<PlacedText> texts = texts_of(robot);
  return std::any_of(texts.begin(), texts.end(), [&](const PlacedText& t) { return t.text == words; });
}

}  // namespace attnscope::test
