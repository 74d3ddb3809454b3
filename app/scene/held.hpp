// app/scene: the state that is held as B, to compare what is shown with.
#pragma once

#include <memory>

#include "app/results/result_stats.hpp"

namespace attnscope {

struct Held {
  ResultPtr result;
  std::unique_ptr<ResultStats> stats;
  double seconds = 0;  // when it was held, by ImGui::GetTime(): idle time counts
};

}  // namespace attnscope
