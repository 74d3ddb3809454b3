// app/pages/lessons/step: state of the page for the step on screen. The shell only resets it when another
// step comes.
#pragma once

#include <any>
#include <array>
#include <cstddef>
#include <optional>

#include "app/state/teaching/lesson_state.hpp"

namespace attnscope {

/// Lengths are logical pixels.
struct LessonMoments {
  float scroll = 0, code_scroll = 0, list_scroll = 0;
  float words_height = 0;  // height of the contents of the column of words; 0: unknown
  float code_height = 0;   // the same for the column of code
  float folds_in = 0;    // column height for which choices neither right nor chosen are folded; 0: not folded
  float plot_reach = 0;  // end of the axis of the step's scores; 0: not drawn yet
  float score_reach = 0;                  // end of the colours of the step's scores, likewise
  std::array<float, 4> strip_reach = {};  // of the strips of its picture: see kept_reach()
  bool grid_due = false;                  // the grid must be scrolled to the step's head

  // In a narrow room, see narrow_room.
  float card_height = 0;  // of the question's card; 0: unknown
  // Of a narrow room's words: the height of those below the ones in sight, of those in sight, and above.
  float words_left = 0, words_room = 0, words_above = 0;
  std::size_t pictures = 1, shown = 0;   // how many the step has, and which is shown
  std::optional<std::size_t> turned_to;  // the picture that X or a click chose; empty: the step's own choice
};

inline LessonMoments& moments_of(LessonState& state) {
  auto* const kept = std::any_cast<LessonMoments>(&state.on_page);
  return kept != nullptr ? *kept : state.on_page.emplace<LessonMoments>();
}
/// Null if the step has not been drawn yet.
inline const LessonMoments* moments_in(const LessonState& state) {
  return std::any_cast<LessonMoments>(&state.on_page);
}

}  // namespace attnscope
