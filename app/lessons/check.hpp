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

/// All that is wrong with the lesson in the file, a line each, "NAME:12: sentence"; none where it can be
/// played. What keeps the file from being read at all is the only one then. A lesson on a model is played
/// with it where it is on this computer; else only its text is checked, and `played` becomes false. One that
/// trains is trained, every run of it, which takes its time; `trained` becomes true.
std::vector<std::string> check_lesson(const std::filesystem::path&, bool* played = nullptr,
                                      bool* trained = nullptr);

/// A lesson to begin with, of a Document: two steps, a question and a condition.
std::string lesson_skeleton(const Document&);

}  // namespace attnscope::lessons
