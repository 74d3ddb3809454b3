#include "app/views/focus/scroll_bar.hpp"

#include <algorithm>

namespace attnscope {

void scroll_bar(const Ui& ui, const char* label, const ScrollBar& bar, double& first, double& held) {
  const Box& track = bar.track;
  const Ui::Touch touch = ui.touch(label, track.grown(ui.px(3)), false);
  const float length = bar.upright ? track.h : track.w;
  const double most = std::max(0.0, bar.count - bar.shown);
  if (touch.held) {
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const float along = bar.upright ? mouse.y - track.y : mouse.x - track.x;
    const double at = static_cast<double>(along / length) * bar.count;
    if (ImGui::IsItemActivated()) held = at >= first && at < first + bar.shown ? at - first : bar.shown / 2;
    first = std::clamp(at - held, 0.0, most);
  }
  const float size = std::max(ui.px(12), static_cast<float>(bar.shown / bar.count) * length);
  const float begin = most > 0 ? static_cast<float>(std::clamp(first / most, 0.0, 1.0)) * (length - size) : 0;
  const Box thumb = bar.upright ? Box{track.x, track.y + begin, track.w, size}
                                : Box{track.x + begin, track.y, size, track.h};
  const float radius = std::min(track.w, track.h) / 2;
  ui.fill(track, ui.theme.bar_ground, radius);
  ui.fill(thumb, touch.held ? ui.theme.query : touch.hovered ? ui.theme.text2 : ui.theme.bar, radius);
}

}  // namespace attnscope
