// app/scene: F6 and Shift+F6 move the keyboard from one group of widgets to the next.
#pragma once

#include <optional>
#include <vector>

#include <imgui_internal.h>

#include "app/state/keyboard_state.hpp"

namespace attnscope {

/// The next widget gets the keyboard, with a focus ring.
void take_keyboard(KeyboardState&);

/// The groups of widgets of a frame, in the order of drawing, which is that of Tab.
class Stops {
 public:
  Stops(KeyboardState&, const std::vector<Stop>& there);
  /// Notes which group has the keyboard.
  ~Stops();
  Stops(const Stops&) = delete;
  Stops& operator=(const Stops&) = delete;

  /// Draws a group, gives its first widget the keyboard if the group is wanted, and notes whether the group
  /// has it.
  template <class Draw>
  void draw(Stop stop, bool asks_itself, const Draw& group) {
    if (keyboard_.wanted == stop && !asks_itself) take(stop);
    const bool was_seen = ImGui::GetCurrentContext()->NavIdIsAlive;
    group();
    if (!was_seen && ImGui::GetCurrentContext()->NavIdIsAlive) now_ = stop;
  }

 private:
  void take(Stop);

  KeyboardState& keyboard_;
  std::optional<Stop> now_;
};

}  // namespace attnscope
