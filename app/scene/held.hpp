// app/scene: the state that is held as B, for comparison with what is shown.
#pragma once

#include "app/results/shown_result.hpp"

namespace attnscope {

struct HeldResult : ShownResult {
  double seconds = 0;  // when it was held, by ImGui::GetTime(): idle time counts
};

}  // namespace attnscope
