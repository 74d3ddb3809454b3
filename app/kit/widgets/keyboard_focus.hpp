// app/kit/widgets: gives the keyboard to a widget, wherever it was before.
#pragma once

#include <imgui_internal.h>

namespace attnscope {

/// The next widget gets the keyboard in the next frame. Dear ImGui drops such a request if the widget that
/// has the keyboard is drawn later in a window of its own, as the column of controls is; so no widget has it
/// in between.
inline void take_keyboard_here() {
  ImGui::GetCurrentContext()->NavId = 0;
  ImGui::SetKeyboardFocusHere();
}

}  // namespace attnscope
