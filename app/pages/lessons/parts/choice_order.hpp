// app/pages/lessons/parts: the order in which a question's choices are shown. Authors put the right one
// mostly third; on screen each place is right about equally often.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace attnscope {

/// Identifies a question: equal values give the same order on every machine and in every language of the
/// lesson.
struct ChoicesOf {
  std::string_view lesson;  // name or path; only the file's name up to its first dot counts
  std::int64_t step = 0;    // from 0
  std::int64_t order = 0;   // LessonState::order
};

/// For each place on screen the choice's index in the file. Another `order` permutes the places, in all steps
/// alike, so each place stays right about equally often.
std::vector<std::size_t> choice_order(const ChoicesOf&, std::size_t count);

}  // namespace attnscope
