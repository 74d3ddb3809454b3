// tests/app: a robot with the focus: places of cells and what their pixels show.
#pragma once

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "app/controls_robot.hpp"
#include "app/scene/picture.hpp"
#include "app/state/regions/focus_state.hpp"

namespace attnscope::test {

inline std::filesystem::path example(const char* name) {
  return std::filesystem::path(ATTNSCOPE_ASSETS) / "examples" / name;
}

inline RobotOptions with(const char* file) { return {.width = 1600, .height = 1000, .file = example(file)}; }

inline const FocusState& focus(Robot& robot) { return focus_of(robot.app().view()); }

inline Box box_of(Robot& robot, std::string_view item) {
  const RecordedItem* found = robot.items().find(item);
  REQUIRE(found);
  return {found->min.x, found->min.y, found->max.x - found->min.x, found->max.y - found->min.y};
}

/// A map of the robot's window: the part in sight follows from the size of a fitted cell and the zoom.
struct SeenMap {
  Box box;
  float fitted = 0;

  explicit SeenMap(Robot& robot, const char* name = "heatmap 0") : name_(name) {
    REQUIRE(focus(robot).zoom == 1);
    fitted = box_of(robot, name).w / static_cast<float>(shown(robot).dimensions.keys);
    look(robot);
  }
  void look(Robot& robot) { box = box_of(robot, name_); }
  Part part(Robot& robot) const {
    const double side = static_cast<double>(fitted) * focus(robot).zoom;
    const Dimensions& d = shown(robot).dimensions;
    const auto visible_count = [&](std::int64_t count, float length) {
      return std::min(static_cast<double>(count), static_cast<double>(length) / side);
    };
    return {focus(robot).query, focus(robot).key, visible_count(d.queries, box.h),
            visible_count(d.keys, box.w), false};
  }
  Box cell(Robot& robot, Cell which) {
    look(robot);
    return cell_box(box, part(robot), which.query, which.key);
  }
  ImVec2 at(float u, float v) const { return {box.x + box.w * u, box.y + box.h * v}; }

 private:
  const char* name_;
};

inline std::size_t colours_in(const Image& image, const Box& box) {
  std::set<Rgba> seen;
  for (int y = static_cast<int>(box.y); y < static_cast<int>(box.bottom()); ++y)
    for (int x = static_cast<int>(box.x); x < static_cast<int>(box.right()); ++x) seen.insert(image.at(x, y));
  return seen.size();
}

inline std::vector<Rgba> cut(const Image& image, const Box& box) {
  std::vector<Rgba> pixels;
  for (int y = static_cast<int>(box.y); y < static_cast<int>(box.bottom()); ++y)
    for (int x = static_cast<int>(box.x); x < static_cast<int>(box.right()); ++x)
      pixels.push_back(image.at(x, y));
  return pixels;
}

inline Rgba pixel(const Image& image, float x, float y) {
  return image.at(static_cast<int>(x), static_cast<int>(y));
}

/// The accent frame is two pixels outside the cell (less the gap at its right and bottom).
inline bool is_framed(const Image& image, const Box& cell) {
  const Rgba accent = theme(ThemeName::Dark).query;
  return pixel(image, cell.x - 2, cell.centre_y()) == accent &&
         pixel(image, cell.centre_x(), cell.y - 2) == accent &&
         pixel(image, cell.right() + (cell.w > 6 ? 0.5f : 1.5f), cell.centre_y()) == accent;
}

inline void scroll_in(Robot& robot, int notches) {
  for (int i = 0; i < std::abs(notches); ++i) robot.scroll(notches > 0 ? 1.0f : -1.0f);
  robot.frame(2);
}

}  // namespace attnscope::test
