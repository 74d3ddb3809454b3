// app/state: presenter mode: everything large, a halo round the pointer, the pressed keys, and the marks
// drawn over the picture.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attnscope {

/// In a window of fewer logical pixels of width, at the scale of presenter mode, a lesson shows one picture
/// at a time beside its words: two would have no room for numbers of 24 pixels.
inline constexpr float narrow_room = 760;

/// What the mouse draws. None: the mouse works as usual.
enum class PresenterTool : std::uint8_t { None, Pen, Arrow, Text };

/// One drawn mark. Points are shares of the window's width and height, so that they scale with the window.
struct PresenterMark {
  PresenterTool kind = PresenterTool::Pen;
  std::vector<std::array<float, 2>> points;  // of an arrow its two ends, of a text its start
  std::string text;
};

struct PresenterState {
  bool on = false;

  // Not kept in sessions.
  std::chrono::steady_clock::time_point began = {};  // the zero of the speaker's clock
  PresenterTool tool = PresenterTool::None;
  std::vector<PresenterMark> marks;
  bool draws = false;        // the last mark is still being drawn
  bool types = false;        // the last mark is a text that is typed
  bool returns = false;      // free play began in presenter mode: returning to the step turns it on again
  std::string pressed;       // the last pressed key
  double pressed_until = 0;  // the ImGui::GetTime() up to which it is shown
};

/// The order in which keys are left out where the foot has no room for all of them, after No: keys that the
/// page shows too, or that are seldom needed. ToolNames shortens the names of the tools instead.
enum class GivesWay { No, Notes, ToolNames, Leaving, Votes, Choices, Clearing };

struct PresenterKey {
  std::string_view key, does;
  PresenterTool tool = PresenterTool::None;  // the tool that the key selects
  GivesWay gives_way = GivesWay::No;
};

}  // namespace attnscope
