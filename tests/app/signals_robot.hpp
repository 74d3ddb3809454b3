// tests/app: a robot with the signals region: puts plots into places and reads parts of the picture.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "app/controls_robot.hpp"
#include "app/state/regions/signals_state.hpp"

namespace attnscope::test {

inline const RobotOptions wide{.width = 1600, .height = 1000};

struct Area {
  ImVec2 min, max;
  float width() const { return max.x - min.x; }
  float height() const { return max.y - min.y; }
  ImVec2 at(float x, float y) const { return {min.x + width() * x, min.y + height() * y}; }
};
inline Area area_of(Robot& robot, std::string_view label) {
  const RecordedItem* item = robot.items().find(label);
  REQUIRE(item != nullptr);
  return {item->min, item->max};
}

inline const SignalsState& signals(Robot& robot) { return signals_of(robot.app().view()); }
inline const Oscilloscope& scope(Robot& robot) { return scope_of(robot.app().view()); }

/// Puts a plot into a place through its title.
inline void show(Robot& robot, int place, PlotKind kind, const char* name) {
  choose(robot, "Plot " + std::to_string(place), name);
  REQUIRE(signals(robot).slots[static_cast<std::size_t>(place - 1)] == kind);
}

/// A part of the picture, to see whether it has changed.
inline std::vector<Rgba> part_of(Robot& robot, const Area& area) {
  const Image picture = robot.pixels();
  std::vector<Rgba> part;
  for (int y = static_cast<int>(area.min.y); y < static_cast<int>(area.max.y); ++y)
    for (int x = static_cast<int>(area.min.x); x < static_cast<int>(area.max.x); ++x)
      part.push_back(picture.at(x, y));
  return part;
}

inline void press_key(Robot& robot, ImGuiKey key) {
  robot.key(key);
  robot.settle();
}

/// Pixels of about this colour: lines are smoothed.
inline std::int64_t count_of(const std::vector<Rgba>& part, Rgba colour) {
  return std::count_if(part.begin(), part.end(), [&](Rgba pixel) {
    for (const int shift : {0, 8, 16}) {
      const int a = static_cast<int>(pixel >> shift & 0xFFu), b = static_cast<int>(colour >> shift & 0xFFu);
      if (std::abs(a - b) > 64) return false;
    }
    return true;
  });
}

using State = Oscilloscope::State;

}  // namespace attnscope::test
