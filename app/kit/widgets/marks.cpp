#include "app/kit/widgets/marks.hpp"

#include <algorithm>
#include <cmath>

namespace attnscope {

float keycap_width(const Ui& ui, std::string_view key) {
  return std::max(ui.px(22), ui.text_width(key, type::tick) + ui.px(12));
}

float draw_keycap(const Ui& ui, float x, float y, std::string_view key) {
  const Box cap{x, std::round(y - ui.px(10)), keycap_width(ui, key), ui.px(20)};
  ui.frame(cap, ui.theme.border, std::max(1.f, std::floor(ui.scale())), ui.px(4));
  ui.text(cap.centre_x(), cap.centre_y(), key, {type::tick, ui.theme.text2, Ink::Regular, Align::Centre});
  return cap.w;
}

void draw_done_mark(const Ui& ui, ImVec2 centre, bool done) {
  const float r = ui.px(9);
  if (!done) return ui.ring(centre, r, ui.theme.border, ui.px(1.5f));
  ui.disc(centre, r, ui.theme.query);
  const ImVec2 tick[3] = {{centre.x - r * 0.45f, centre.y + r * 0.02f},
                          {centre.x - r * 0.12f, centre.y + r * 0.36f},
                          {centre.x + r * 0.48f, centre.y - r * 0.34f}};
  ui.polyline(tick, ui.theme.panel, ui.px(2));
}

}  // namespace attnscope
