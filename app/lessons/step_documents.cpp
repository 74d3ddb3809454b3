#include "app/lessons/step_documents.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.hpp"
#include "core/files/document/open.hpp"

namespace attnscope::lessons {
namespace {

using nlohmann::json;

/// `line`: returns the line for an error.
template <class Line>
Document document_of(const json& object, const std::string& name, const Line& line) {
  try {
    return document_from_json(object.dump(), "the step's Document");
  } catch (const Error& error) {
    throw Error(fmt::format("{}:{}: {}", name, line(error), error.what()));
  }
}

/// Puts the Document into the lesson's model, which is opened later, at the layer that the step looks at.
void stand_in_model(json& now, const Lesson& lesson, std::size_t at, const std::string& name) {
  json& model = now["model"];
  if (model.is_null()) model = json::object();
  if (!model.is_object()) {
    const JsonPlace& change = lesson.steps[at].change_place;
    const JsonPlace& place = change.line > 0 ? change : lesson.start_place;
    throw Error(
        fmt::format("{}:{}: \"model\" has to be a JSON object in braces.", name, place.line_of_key("model")));
  }
  model["path"] = lesson.model;
  if (const auto& block = lesson.steps[at].block) model["block"] = *block;
}

/// The Document before the first step's change.
json start_of(const Lesson& lesson) {
  json now = lesson.start.empty() ? json::object() : json::parse(lesson.start);
  if (!now.contains("attnscope")) now["attnscope"] = 1;
  if (!now.contains("title") && !lesson.of_model()) now["title"] = lesson.title;
  return now;
}

}  // namespace

int line_of_document(const Lesson& lesson, std::size_t step, const Error& error) {
  const JsonPlace &change = lesson.steps[step].change_place, &start = lesson.start_place;
  const bool starts = step == 0 && start.line > 0;
  if (change.line > 0 && !(starts && !change.has_key_of(error))) return change.line_of(error);
  return starts ? start.line_of(error) : lesson.steps[step].line;
}

std::vector<StepDocuments> documents_of(const Lesson& lesson, const std::string& name) {
  if (lesson.of_training()) return std::vector<StepDocuments>(lesson.steps.size());
  json now = start_of(lesson);
  std::vector<StepDocuments> all;
  for (std::size_t i = 0; i < lesson.steps.size(); ++i) {
    const Step& step = lesson.steps[i];
    if (!step.change.empty()) now.merge_patch(json::parse(step.change));
    if (lesson.of_model()) stand_in_model(now, lesson, i, name);
    const auto changed_by = [&](const std::string& patch, const JsonPlace& place) -> std::optional<Document> {
      if (patch.empty()) return std::nullopt;
      json changed = now;
      changed.merge_patch(json::parse(patch));
      return document_of(changed, name, [&](const Error& error) { return place.line_of(error); });
    };
    const auto line = [&](const Error& error) { return line_of_document(lesson, i, error); };
    StepDocuments made{document_of(now, name, line), changed_by(step.held, step.held_place),
                       changed_by(step.done_by, step.done_by_place)};
    all.push_back(std::move(made));
  }
  return all;
}

}  // namespace attnscope::lessons
