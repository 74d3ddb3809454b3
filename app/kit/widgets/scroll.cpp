// app/kit/widgets: the scroll offset of a region, kept outside of Dear ImGui so that it can be saved.
#include <cmath>

#include "app/kit/widgets/widgets.hpp"

namespace attnscope {

void keep_scroll(const Ui& ui, float& logical) {
  float& seen = *ImGui::GetStateStorage()->GetFloatRef(ImGui::GetID("kept scroll"), 0);
  if (logical != seen) {
    ImGui::SetScrollY(std::round(logical * ui.scale()));  // takes place in the next frame
  } else {
    logical = ImGui::GetScrollY() / ui.scale();
  }
  seen = logical;
}

}  // namespace attnscope
