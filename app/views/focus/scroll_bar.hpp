// app/views: a thin bar that shows which part of something long is in sight; dragging it moves there.
#pragma once

#include "app/kit/ui/ui.hpp"

namespace attnscope {

struct ScrollBar {
  Box track;
  bool upright = true;
  double count = 0, shown = 0;  // of the whole, and in sight; the same unit as `first`
};

/// `first`: where the part in sight begins. `held`: how far behind it the mouse has taken the thumb; belongs
/// to the drag. A press beside the thumb brings its middle there.
void scroll_bar(const Ui&, const char* label, const ScrollBar&, double& first, double& held);

}  // namespace attnscope
