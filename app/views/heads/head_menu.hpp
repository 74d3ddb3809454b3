// app/views/heads: the context menu of one head: mute and solo, interventions on its pattern, weights built
// by hand.
#pragma once

#include "app/scene/scene.hpp"

namespace attnscope {

/// Opens the menu of a head beside its thumbnail, for the keyboard. Switches to Explore and shows the region
/// if it was hidden.
void open_head_menu(Scene&, std::int64_t head);
/// Draws the menu if it is open. `place`: the position of a menu opened by the keyboard.
void draw_head_menu(Scene&, ImVec2 place);

/// Freezes the head: the pattern on screen replaces its own. A message if that has numbers that are no
/// weights.
void freeze_head(Scene&, std::int64_t head);

}  // namespace attnscope
