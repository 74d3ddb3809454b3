// app/lessons: the Documents of the steps of a lesson.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/lessons/lesson.hpp"
#include "core/document/document.hpp"

namespace attnscope::lessons {

/// The Document of a step: the lesson's start with the changes of all steps up to it. `held`: the other side
/// of the comparison.
struct StepDocuments {
  Document shown;
  std::optional<Document> held;
  std::optional<Document> reached;  // the Document after the task is done
};
/// The Documents of every step; empty ones in a lesson that trains. Throws Error with the lesson's name, the
/// line of the faulty block, or of the key in it if that is known, and a sentence.
std::vector<StepDocuments> documents_of(const Lesson&, const std::string& name);

/// The line to name if a step's Document cannot be computed: that of its change, of the start, or else of the
/// step.
int line_of_document(const Lesson&, std::size_t step, const Error&);

}  // namespace attnscope::lessons
