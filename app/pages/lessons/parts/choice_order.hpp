// app/pages/lessons/parts: in which order the choices of a question are shown. A lesson's author puts the
// right one where they like, mostly third; shown, each place is right about equally often.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace attnscope {

/// Whose choices: the same order for the same, on every machine and in every language of the lesson.
struct ChoicesOf {
  std::string_view
      lesson;  // its name or path, of which the part before the first dot of the file's name counts
  std::int64_t step = 0;   // from 0
  std::int64_t order = 0;  // LessonState::order
};

/// Of each place on screen the choice's place in the file. Another `order` shuffles the places, those of all
/// steps alike: whatever it is, each is right about equally often.
std::vector<std::size_t> choice_order(const ChoicesOf&, std::size_t count);

}  // namespace attnscope
