// app/lessons: the Documents that the steps of a lesson show.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/lessons/lesson.hpp"
#include "core/document/document.hpp"

namespace attnscope::lessons {

/// What a step shows: the lesson's start with the changes of all steps up to it. `held`: what it is compared
/// with.
struct StepDocuments {
  Document shown;
  std::optional<Document> held;
  std::optional<Document> reached;  // what is to be done, done
};
/// Of every step; of a lesson that trains, which has none, empty ones. Throws Error with the lesson's name,
/// the line of the block that is wrong, or of the key in it where that is known, and a sentence.
std::vector<StepDocuments> documents_of(const Lesson&, const std::string& name);

/// The line that is to blame where a step's Document cannot be computed: of what it changes, of the start or,
/// without either, of the step.
int line_of_document(const Lesson&, std::size_t step, const Error&);

}  // namespace attnscope::lessons
