// app/kit/widgets: the frame of a card that takes all input while it is open.
#pragma once

#include <algorithm>
#include <cmath>

#include "app/kit/ui/ui.hpp"

namespace attnscope {

/// Calls `draw` inside the popup `name`, which is drawn at `card`; false if it is not open. Arrows, Tab and
/// Return go to the card's own widgets.
template <class Draw>
bool modal_card(const Ui& ui, const char* name, const Box& card, const Draw& draw) {
  ImGui::SetNextWindowPos(card.min());
  ImGui::SetNextWindowSize({card.w, card.h});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, ui.px(10));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, std::max(1.f, std::floor(ui.scale())));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::PushStyleColor(ImGuiCol_PopupBg, ui.theme.raised);
  ImGui::PushStyleColor(ImGuiCol_Border, ui.theme.border);
  ImGui::PushStyleColor(ImGuiCol_ModalWindowDimBg, 0x60000000u);
  const bool open =
      ImGui::BeginPopupModal(name, nullptr,
                             ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                 ImGuiWindowFlags_NoNavInputs | ImGuiWindowFlags_NoSavedSettings);
  if (open) {
    draw();
    ImGui::EndPopup();
  }
  ImGui::PopStyleColor(3);
  ImGui::PopStyleVar(3);
  return open;
}

}  // namespace attnscope
