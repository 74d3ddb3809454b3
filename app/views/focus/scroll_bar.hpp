// app/views: a thin scroll bar.
#pragma once

#include "app/kit/ui/ui.hpp"

namespace attnscope {

struct ScrollBar {
  Box track;
  bool upright = true;
  double count = 0, shown = 0;  // the whole length and that in sight, in the unit of `first`
};

/// `first`: the start of the part in sight; a drag changes it. `held`: the caller keeps it during the drag:
/// the distance of the mouse from `first`. A press beside the thumb moves the thumb's middle there.
void scroll_bar(const Ui&, const char* label, const ScrollBar&, double& first, double& held);

}  // namespace attnscope
