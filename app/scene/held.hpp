// app/scene: the state that is held as B, for comparison with what is shown.
#pragma once

#include "app/results/sight.hpp"

namespace attnscope {

struct HeldSight : Sight {
  double seconds = 0;  // when it was held, by ImGui::GetTime(): idle time counts
};

}  // namespace attnscope
