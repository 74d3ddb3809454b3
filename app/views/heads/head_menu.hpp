// app/views/heads: what can be done to one head, as a list: intervention on its pattern, weights built by
// hand.
#pragma once

#include "app/scene/scene.hpp"

namespace attnscope {

/// Opens the menu of a head beside its thumbnail, for the keyboard; the region is shown if it was hidden.
void open_head_menu(Scene&, std::int64_t head);
/// Draws the menu when it is open. `place`: where one that the keyboard opened stands.
void draw_head_menu(Scene&, ImVec2 place);

/// Puts the pattern on screen in place of the head's own; a message where it holds numbers that are no
/// weights.
void freeze_head(Scene&, std::int64_t head);

}  // namespace attnscope
