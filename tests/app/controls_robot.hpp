// tests/app: a robot with the whole column of controls in sight, for the tests that use every control.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "robot/robot.hpp"

namespace attnscope::test {

/// High enough for the whole column with any one section unfolded.
inline const RobotOptions tall{.width = 1600, .height = 1700};

inline const LayerResult& shown(Robot& robot) { return robot.app().shown()->layer(); }

inline void click(Robot& robot, std::string_view label) {
  robot.click(label);
  robot.settle();
}

/// Opens a list and chooses a row of it.
inline void choose(Robot& robot, std::string_view list, std::string_view row) {
  robot.click(list);
  robot.frame(2);
  click(robot, row);
}

/// The keys of the string table of all texts that some frames draw.
inline std::set<std::string> keys_drawn(Robot& robot, int frames = 2) {
  std::set<std::string> told;
  robot.app().words().watch = [&](std::string_view key, bool) { told.emplace(key); };
  robot.app().words().speak_english();  // makes texts that were drawn before be reported again
  robot.frame(frames);
  robot.app().words().watch = nullptr;
  return told;
}

/// The tooltip of a widget, as keys of the string table.
inline std::set<std::string> told_at(Robot& robot, std::string_view label) {
  ImGui::GetStyle().HoverDelayShort = ImGui::GetStyle().HoverStationaryDelay = 0;
  std::set<std::string> told;
  robot.leave();
  robot.app().words().watch = [&](std::string_view key, bool) { told.emplace(key); };
  robot.app().words().speak_english();  // makes texts that were drawn before be reported again
  const ImVec2 place = robot.centre(label);
  robot.move({place.x + 4, place.y});  // Dear ImGui does not count the first move into the window
  robot.move(place);
  robot.frame(2);
  robot.app().words().watch = nullptr;
  return told;
}

/// A robot with the first example and the folded controls of one section in sight.
struct Unfolded : Robot {
  explicit Unfolded(std::string_view section) : Robot(tall) {
    test::click(*this, "More: " + std::string(section));
  }
};

/// A cell of a stage of the first sequence.
inline float cell_of(Robot& robot, Stage stage, int h, int query, int key) {
  return shown(robot).trace[stage]->matrix(0, h)(query, key);
}

}  // namespace attnscope::test
