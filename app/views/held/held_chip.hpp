// app/views/held: in Explore, what is held to compare with.
#pragma once

#include "app/scene/scene.hpp"

namespace attnscope {

/// "12 s ago", "3 min ago", "2 h ago".
std::string age_words(double seconds);

/// The chip's words: what differs most, how much more does, and all of it.
struct HeldWords {
  std::string what, more, all;
};
/// The chip of these words; true in `pressed` when it was clicked. Returns where it ends.
float draw_held_words(Scene&, const Box& room, const HeldWords&, bool& pressed);

/// A chip in [left, right] centred on y: how the held side differs from now and how long it has been held; a
/// click compares, its × lets go. Returns where it ends; `left` when nothing is held.
float draw_held_chip(Scene&, float left, float right, float y);

}  // namespace attnscope
