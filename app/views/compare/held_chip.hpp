// app/views/compare: in Explore, what is held to compare with.
#pragma once

#include "app/scene/scene.hpp"

namespace attnscope {

/// "12 s ago", "3 min ago", "2 h ago".
std::string age_words(double seconds);

/// A chip in [left, right] centred on y: how the held side differs from now and how long it has been held; a
/// click compares, its × lets go. Returns where it ends; `left` when nothing is held.
float draw_held_chip(Scene&, float left, float right, float y);

}  // namespace attnscope
