#include "app/views/backends/floating_card.hpp"

#include <algorithm>

namespace attnscope {
namespace {

Box cut_off(const Ui& ui, Box box) {
  box.h = std::clamp(ImGui::GetIO().DisplaySize.y - box.y - ui.px(8), 1.f, box.h);
  return box;
}

int flags_of(const Ui& ui, const Box& box) {
  const bool scrolls = cut_off(ui, box).h < box.h;
  return scrolls ? 0 : ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse;
}

}  // namespace

FloatingCard::FloatingCard(const Ui& ui, const char* name, const Box& box)
    : height_(box.h),
      window_(ui, name, cut_off(ui, box), flags_of(ui, box)),
      top_(ImGui::GetCursorScreenPos().y) {}

FloatingCard::~FloatingCard() {
  ImGui::SetCursorScreenPos({ImGui::GetWindowPos().x, top_});
  ImGui::Dummy({1, height_ - 2});
}

}  // namespace attnscope
