// app/lessons: checks a lesson for its author, from its first step to its last: every Document is made and
// computed, every number is evaluated.
#pragma once

#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/lessons/lesson.hpp"
#include "app/lessons/step_documents.hpp"
#include "core/document/document.hpp"
#include "core/engine/result.hpp"

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
  std::string course;    // of a course, which was read with its lessons: its length in words
};
/// A step whose numbers are computed. Its references are valid during the call alone.
struct PlayedStep {
  const Lesson& lesson;
  std::size_t at = 0;  // index of the step
  const LookUp& numbers;
  const LayerResult* layer = nullptr;  // null in a lesson that trains
};
using SeeStep = std::function<void(const PlayedStep&)>;

/// Plays the lesson in the file, or reads a course; a lesson on a model with that model if it is on this
/// computer, a lesson that trains by training. `see` is called with every step in turn, if the lesson is
/// played; what it throws ends the check, unless it is an Error, which becomes a problem of the step. `stop`
/// ends training: Cancelled.
CheckedLesson check_lesson(const std::filesystem::path&, const SeeStep& see = {},
                           const std::stop_token& stop = {});

/// A template for a new lesson, made from a Document: two steps, a question and a condition.
std::string lesson_skeleton(const Document&);

}  // namespace attnscope::lessons
