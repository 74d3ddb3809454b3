#include "app/kit/widgets/transport.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace attnscope {
namespace {

constexpr float small_radius = 15, large_radius = 18, gap = 12;  // logical pixels

/// A triangle that points to the right, or to the left.
void draw_triangle(const Ui& ui, float x, float y, float size, Rgba ink) {
  const std::array<ImVec2, 3> corners{ImVec2{x - size * 0.45f, y - std::abs(size) * 0.58f},
                                      ImVec2{x + size * 0.55f, y},
                                      ImVec2{x - size * 0.45f, y + std::abs(size) * 0.58f}};
  ui.area(corners, ink);
  const std::array<ImVec2, 4> edge{corners[0], corners[1], corners[2], corners[0]};
  ui.polyline(edge, ink, std::max(1.f, ui.scale()));  // smooths its edges
}

enum class Icon { Back, Play, Pause, Forward };

void draw_icon(const Ui& ui, ImVec2 centre, Icon icon, float size, Rgba ink) {
  const bool main = icon == Icon::Play || icon == Icon::Pause;
  const auto bar = [&](float x, float half) {
    ui.fill({std::round(centre.x + x), centre.y - half, ui.px(main ? 4 : 2), 2 * half}, ink, ui.px(1));
  };
  switch (icon) {
    case Icon::Back:
      bar(-ui.px(6), ui.px(5));
      draw_triangle(ui, centre.x + ui.px(1), centre.y, -size, ink);
      break;
    case Icon::Forward:
      draw_triangle(ui, centre.x - ui.px(1), centre.y, size, ink);
      bar(ui.px(5), ui.px(5));
      break;
    case Icon::Play: draw_triangle(ui, centre.x, centre.y, size, ink); break;
    case Icon::Pause:
      bar(-ui.px(6), ui.px(7));
      bar(ui.px(2), ui.px(7));
      break;
  }
}

bool round_button(const Ui& ui, ImVec2 centre, float radius, Icon icon, const TransportButton& button) {
  const Box box{centre.x - radius, centre.y - radius, 2 * radius, 2 * radius};
  const Ui::Touch touch = ui.touch(button.label, box);
  const bool main = icon == Icon::Play || icon == Icon::Pause;
  const Rgba ground = main ? ui.theme.query : touch.hovered ? ui.theme.control_hover : ui.theme.control;
  ui.disc(centre, radius, ground);
  if (main && touch.hovered) ui.ring(centre, radius + ui.px(3), fade(ui.theme.query, 0.5f), ui.px(2));
  if (touch.focused) ui.ring(centre, radius + ui.px(4), ui.theme.query, ui.px(2));
  const Rgba ink =
      main ? (ui.theme.name == ThemeName::Light ? 0xFFFFFFFFu : ui.theme.canvas) : ui.theme.text1;
  draw_icon(ui, centre, icon, ui.px(main ? 13 : 9), ink);
  tooltip(ui, touch.hovered, box, button.tip);
  return touch.clicked;
}

}  // namespace

TransportPress draw_transport_buttons(const Ui& ui, const Box& bar, const Transport& transport) {
  const float y = bar.centre_y(), small = ui.px(small_radius), large = ui.px(large_radius);
  TransportPress pressed = TransportPress::None;
  float x = bar.x + small;
  if (round_button(ui, {x, y}, small, Icon::Back, transport.back)) pressed = TransportPress::Back;
  x += small + ui.px(gap) + large;
  if (round_button(ui, {x, y}, large, transport.playing ? Icon::Pause : Icon::Play, transport.play))
    pressed = TransportPress::Play;
  x += large + ui.px(gap) + small;
  if (round_button(ui, {x, y}, small, Icon::Forward, transport.forward)) pressed = TransportPress::Forward;
  return pressed;
}

float transport_width(const Ui& ui) {
  return 4 * ui.px(small_radius) + 2 * ui.px(large_radius) + 2 * ui.px(gap);
}

void draw_scrub_knob(const Ui& ui, ImVec2 centre, const Ui::Touch& touch) {
  if (touch.hovered || touch.held) ui.disc(centre, ui.px(12), fade(ui.theme.query, 0.22f));
  if (touch.focused) ui.ring(centre, ui.px(12), ui.theme.query, ui.px(2));
  ui.disc(centre, ui.px(8), ui.theme.query);
  ui.disc(centre, ui.px(5), ui.theme.text1);
}

}  // namespace attnscope
