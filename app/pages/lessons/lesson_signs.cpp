#include "app/pages/lessons/lesson_signs.hpp"

#include <array>
#include <cmath>
#include <numbers>

namespace attnscope {

void draw_model_sign(const Ui& ui, ImVec2 centre, Rgba colour) {
  const float r = ui.px(5);
  const std::array<ImVec2, 4> corners{{{centre.x, centre.y - r},
                                       {centre.x + r, centre.y},
                                       {centre.x, centre.y + r},
                                       {centre.x - r, centre.y}}};
  ui.area(corners, colour);
}

void draw_trains_sign(const Ui& ui, ImVec2 centre, Rgba colour) {
  const float r = ui.px(5), thick = std::max(1.f, ui.px(1.5f));
  constexpr std::size_t pieces = 14;
  constexpr float turn = 1.6f * std::numbers::pi_v<float>;  // the rest of the circle is open, for the arrow
  std::array<ImVec2, pieces + 1> arc;
  for (std::size_t i = 0; i <= pieces; ++i) {
    const float angle = turn * static_cast<float>(i) / static_cast<float>(pieces);
    arc[i] = {centre.x + r * std::cos(angle), centre.y + r * std::sin(angle)};
  }
  ui.polyline(arc, colour, thick);
  const ImVec2 end = arc.back();
  const float tip = ui.px(3);
  ui.area(
      std::array<ImVec2, 3>{{{end.x - tip, end.y - tip}, {end.x + tip, end.y}, {end.x - tip, end.y + tip}}},
      colour);
}

}  // namespace attnscope
