#include "app/views/backends/floating_card.hpp"

#include <algorithm>
#include <cmath>

namespace attnscope {

FloatingCard::FloatingCard(const Ui& ui, const char* name, Box box) : ui_(ui), height_(box.h) {
  box.h = std::clamp(ImGui::GetIO().DisplaySize.y - box.y - ui.px(8), 1.f, box.h);
  const bool scrolls = box.h < height_;
  ImGui::SetNextWindowPos(box.min());
  ImGui::SetNextWindowSize({box.w, box.h});
  ImGui::PushStyleColor(ImGuiCol_WindowBg, ui.theme.raised);
  ImGui::PushStyleColor(ImGuiCol_Border, ui.theme.border);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, ui.px(8));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, std::max(1.f, std::floor(ui.scale())));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::Begin(name, nullptr,
               ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoCollapse |
                   ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoNav |
                   (scrolls ? 0 : ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse));
  top_ = ImGui::GetCursorScreenPos().y;
}

FloatingCard::~FloatingCard() {
  ImGui::SetCursorScreenPos({ImGui::GetWindowPos().x, top_});
  ImGui::Dummy({1, height_ - 2});
  ImGui::End();
  ImGui::PopStyleVar(3);
  ImGui::PopStyleColor(2);
}

}  // namespace attnscope
