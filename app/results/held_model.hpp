// app/results: the model that is held as B, and its difference to the model on screen.
#pragma once

#include <string>

#include "core/engine/model/model_difference.hpp"

namespace attnscope {

struct HeldModel {
  ModelContext within;      // the held model
  ModelReadingPtr reading;  // of it; null: not known yet
  std::string error;        // one sentence that tells why there is no reading
  /// Between the model on screen (A) and this one, as far as it is known; null: not yet. It may be of the
  /// previous runs.
  ModelDifferencePtr difference;
  bool is_busy = false;  // more of it is being computed
  double seconds = 0;    // when it was held, by ImGui::GetTime()
};

}  // namespace attnscope
