// app/views/held: the chip of the held state in Explore.
#pragma once

#include "app/scene/scene.hpp"

namespace attnscope {

/// "12 s ago", "3 min ago", "2 h ago".
std::string age_words(double seconds);

/// The chip's texts: the main difference, the number of others, and all of them.
struct HeldWords {
  std::string what, more, all;
};
/// Draws the chip with these texts; sets `pressed` if it was clicked. Returns its right end.
float draw_held_words(Scene&, const Box& room, const HeldWords&, bool& pressed);

/// A chip in [left, right] centred on y: how the held side differs from now and how long it has been held; a
/// click compares, its × drops the held state. Returns its right end; `left` if nothing is held.
float draw_held_chip(Scene&, float left, float right, float y);

}  // namespace attnscope
