// app/scene: the state that is held as B, to compare what is shown with.
#pragma once

#include "app/results/sight.hpp"

namespace attnscope {

struct HeldSight : Sight {
  double seconds = 0;  // when it was held, by ImGui::GetTime(): idle time counts
};

}  // namespace attnscope
