// app/pages/lessons/step: what the page keeps of a step while it is on screen. The shell knows nothing of it
// but that it goes when another step comes.
#pragma once

#include <any>

#include "app/state/teaching/lesson_state.hpp"

namespace attnscope {

/// Lengths are logical pixels.
struct LessonMoments {
  float scroll = 0, code_scroll = 0, list_scroll = 0;
  float words_height = 0;  // of what stands in the column of words; 0: not known
  float code_height = 0;   // the same of the column of code
  float folds_in = 0;    // in a column of that height choices that do not matter any more are a line each; 0:
                         // they are not
  float plot_reach = 0;  // where the axis of the step's scores ends; 0: it was not drawn yet
  bool grid_due = false;  // the step's head is to be brought into sight
};

inline LessonMoments& moments_of(LessonState& state) {
  auto* const kept = std::any_cast<LessonMoments>(&state.on_page);
  return kept != nullptr ? *kept : state.on_page.emplace<LessonMoments>();
}

}  // namespace attnscope
