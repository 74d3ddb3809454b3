// app/state/teaching: what is shown to a room: everything large, a halo round the pointer, the keys that were
// pressed, and what is drawn over the picture.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace attnscope {

/// What the mouse draws. None: it does what it always does.
enum class PresenterTool : std::uint8_t { None, Pen, Arrow, Text };

/// Something that was drawn. Points are shares of the window's width and height, so that it stays in its
/// place in another one.
struct PresenterMark {
  PresenterTool kind = PresenterTool::Pen;
  std::vector<std::array<float, 2>> points;  // of an arrow its two ends, of a text where it begins
  std::string text;
};

struct PresenterState {
  bool on = false;
  std::chrono::steady_clock::time_point began = {};  // for the speaker's clock

  // Of the moment.
  PresenterTool tool = PresenterTool::None;
  std::vector<PresenterMark> marks;
  bool draws = false;        // the last mark is still being drawn
  bool types = false;        // the last mark is a text that is typed
  bool returns = false;      // free play was begun from here: back in the step it is on again
  std::string pressed;       // the last key
  double pressed_until = 0;  // ImGui::GetTime() at which it goes
};

}  // namespace attnscope
