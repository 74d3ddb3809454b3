// tests/app: the robot in Compare, and what its tests measure.
#pragma once

#include <algorithm>
#include <filesystem>

#include <catch2/catch_test_macros.hpp>

#include "app/controls_robot.hpp"
#include "app/scene/picture.hpp"

namespace attnscope::test {

inline const std::filesystem::path examples = std::filesystem::path(ATTNSCOPE_ASSETS) / "examples";

/// A robot in Compare, nothing held, the mouse outside.
struct Comparing : Robot {
  explicit Comparing(RobotOptions options = {.width = 1600, .height = 1000}) : Robot(options) {
    settle();
    key(ImGuiKey_F4);
    settle();
    leave();
  }
  const LayerResult& held() { return app().held().held_result()->result->layer(); }
  Cell hovered() { return app().selection().hovered_cell.value_or(Cell{-1, -1}); }
};

/// The picture between the top bar, which shows milliseconds, and the status line.
inline Image below_the_bar(Robot& robot) {
  Image image = robot.pixels();
  const int from = 48 * image.width, to = (image.height - 24) * image.width;
  image.pixels = {image.pixels.begin() + from, image.pixels.begin() + to};
  image.height -= 72;
  return image;
}

inline const RecordedItem& item(const Robot& robot, std::string_view label) {
  const RecordedItem* found = robot.items().find(label);
  REQUIRE(found);
  return *found;
}

/// The middle of a cell of a map of n by n.
inline ImVec2 cell_on(const Robot& robot, std::string_view map, Cell cell, std::int64_t n, float at = 0.5f) {
  const RecordedItem& box = item(robot, map);
  const auto place = [&](float low, float high, std::int64_t i) {
    return low + (high - low) * (static_cast<float>(i) + at) / static_cast<float>(n);
  };
  return {place(box.min.x, box.max.x, cell.key), place(box.min.y, box.max.y, cell.query)};
}

inline Rgba colour_at(const Image& image, ImVec2 at) {
  return image
      .pixels[static_cast<std::size_t>(static_cast<int>(at.y) * image.width + static_cast<int>(at.x))];
}

/// Whether this is the colour at this place of the map or next to it: the last digit may round either way.
inline bool is_near(const Colormap& map, int place, Rgba seen) {
  const auto wears = [&](int i) { return seen == map[static_cast<std::size_t>(std::clamp(i, 0, 255))]; };
  return wears(place - 1) || wears(place) || wears(place + 1);
}

/// Both results and the statistics that subtract them.
struct Pair {
  explicit Pair(Comparing& robot)
      : a(robot.app().shown()), b(robot.app().held().held_result()->result), stats(a) {
    stats.compare_with(b);
  }
  ResultPtr a, b;
  ResultStats stats;
};

}  // namespace attnscope::test
