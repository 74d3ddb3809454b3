// app/results: the model that is held as B, and how far what is shown is from it.
#pragma once

#include <string>

#include "core/engine/model/model_difference.hpp"

namespace attnscope {

struct HeldModel {
  ModelContext within;      // what is held
  ModelReadingPtr reading;  // of it; null: not known yet
  std::string error;        // one sentence why there is no reading
  /// Of the model that is shown (A) and this one, as far as it is known; null: not yet. It may be of runs
  /// that were shown a moment ago.
  ModelDifferencePtr difference;
  bool is_busy = false;  // more of it is worked out
  double seconds = 0;    // when it was held, by ImGui::GetTime()
};

}  // namespace attnscope
