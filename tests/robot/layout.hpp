// tests/robot: the places of a frame's texts, read from its vector copy, so that a layout can be described
// and checked without pixels.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/robot/robot.hpp"

namespace attnscope {

struct PlacedText {
  std::string text;
  float x0 = 0, y0 = 0, x1 = 0, y1 = 0;  // of its letters: from the capitals' height to the baseline
  float capitals = 0;                    // their height, also of a text that is turned
};

/// Every text of a vector copy, in the order in which it was drawn.
std::vector<PlacedText> texts_in(std::string_view svg);
/// Every text of the window as it is now, in the order in which it was drawn.
std::vector<PlacedText> texts_of(Robot& robot);
/// Whether one of them has these words in it.
bool shows(Robot& robot, std::string_view words);

/// Pairs of texts that overlap, one sentence each.
std::vector<std::string> collisions(const std::vector<PlacedText>& texts);

/// One line for each text: its place in logical pixels and its words, every digit as "#" since numbers change
/// with the machine, and how many texts are nothing but a number. Texts with times are left out.
std::vector<std::string> description(const std::vector<PlacedText>& texts, float scale);

}  // namespace attnscope
