// app/lessons: checks a lesson for its author, from its first step to its last: every Document is made and
// computed, every number is evaluated.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/lessons/lesson.hpp"
#include "app/lessons/step_documents.hpp"
#include "core/document/document.hpp"

namespace attnscope::lessons {

struct CheckedLesson {
  /// Errors, as "NAME:12: sentence" with the line at fault; empty if the lesson can be played. An error that
  /// prevents reading the file is then the only one.
  std::vector<std::string> problems;
  /// Weaknesses of a lesson that can be played: answers that can be read on the step before or outside of the
  /// lid, wrong choices without an explanation, sides without a name.
  std::vector<std::string> warnings;
  bool played = true;    // false: its model is not on this computer; only its text was checked
  bool trained = false;  // true: every run of it was trained, which takes time
};
/// Plays the lesson in the file; a lesson on a model with that model if it is on this computer, a lesson that
/// trains by training.
CheckedLesson check_lesson(const std::filesystem::path&);

/// A template for a new lesson, made from a Document: two steps, a question and a condition.
std::string lesson_skeleton(const Document&);

}  // namespace attnscope::lessons
