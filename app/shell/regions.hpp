// app/shell: the regions of the window, drawn where the layout has them, and the message above them.
#pragma once

#include "app/state/layout.hpp"

namespace attnscope {

struct Scene;

/// Every region of the mode, where the layout has it.
void draw_regions(Scene&, const Layout&);
/// What the view's message says, on a card at the lower edge of the window, where it hides the least. True
/// when what it offers is taken.
bool draw_message(const Ui&, const Layout&, ViewState&);
/// The ring round what is being shown to the person.
void draw_sought(const Ui&, Sought&);

}  // namespace attnscope
