// app/files/io: lists, cards and dialogs over the window.
#pragma once

#include <imgui_internal.h>

namespace attnscope {

inline void close_cards() {
  if (const ImGuiContext* const context = ImGui::GetCurrentContext();
      context && !context->OpenPopupStack.empty())
    ImGui::ClosePopupToLevel(0, false);
}

}  // namespace attnscope
