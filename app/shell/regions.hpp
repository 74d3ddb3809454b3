// app/shell: the regions of the window, drawn where the layout has them, and the message above them.
#pragma once

#include "app/state/regions/layout.hpp"

namespace attnscope {

struct Scene;

/// Draws the regions of the mode that the layout has.
void draw_regions(Scene&, const Layout&);
/// Draws the view's message on a card at the lower edge of the window, where it hides least. True if the user
/// accepts its offer.
bool draw_message(const Ui&, const Layout&, ViewState&);
/// Draws a ring around the widget that was sought.
void draw_sought(const Ui&, Sought&);

}  // namespace attnscope
