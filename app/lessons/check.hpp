// app/lessons: a lesson is gone through from its first step to its last, as a teacher's editor would want it:
// every Document is made and computed, every number is asked for.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/lessons/lesson.hpp"
#include "app/lessons/step_documents.hpp"
#include "core/document/document.hpp"

namespace attnscope::lessons {

struct CheckedLesson {
  /// What is wrong, "NAME:12: sentence", with the line that is to blame; none where it can be played. What
  /// keeps the file from being read at all is the only one then.
  std::vector<std::string> problems;
  /// The same of what can be played and teaches less than it could: answers that stand on the step before or
  /// outside of the lid, wrong choices that say nothing, sides without a name.
  std::vector<std::string> warnings;
  bool played = true;    // false: its model is not on this computer; only its text was checked
  bool trained = false;  // every run of it, which takes its time
};
/// Plays the lesson in the file; one on a model with that model where it is there, one that trains by
/// training.
CheckedLesson check_lesson(const std::filesystem::path&);

/// A lesson to begin with, of a Document: two steps, a question and a condition.
std::string lesson_skeleton(const Document&);

}  // namespace attnscope::lessons
