// app/state: what is shown to a room: everything large, a halo round the pointer, the keys that were
// pressed, and what is drawn over the picture.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
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

/// What gives way where the foot has no room for all keys, the first first: what stands on the page as well,
/// or is no matter of the moment.
enum class GivesWay { No, Notes, ToolNames, Leaving, Votes, Choices, Clearing };

struct PresenterKey {
  std::string_view key, does;
  PresenterTool tool = PresenterTool::None;  // that it takes
  GivesWay gives_way = GivesWay::No;
};

}  // namespace attnscope
