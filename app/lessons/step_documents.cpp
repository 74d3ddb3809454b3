#include "app/lessons/step_documents.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.hpp"
#include "core/files/document/open.hpp"

namespace attnscope::lessons {
namespace {

using nlohmann::json;

Document document_of(const json& object, const std::string& name, int line) {
  try {
    return document_from_json(object.dump(), "the step's Document");
  } catch (const Error& error) {
    throw Error(fmt::format("{}:{}: {}", name, line, error.what()));
  }
}

/// The Document stands in the lesson's model, which is opened later, at the layer that the step looks at.
void stand_in_model(json& now, const Lesson& lesson, const Step& step, const std::string& name) {
  json& model = now["model"];
  if (model.is_null()) model = json::object();
  if (!model.is_object())
    throw Error(fmt::format("{}:{}: \"model\" has to be a JSON object in braces.", name, step.line));
  model["path"] = lesson.model;
  if (step.block) model["block"] = *step.block;
}

}  // namespace

std::vector<StepDocuments> documents_of(const Lesson& lesson, const std::string& name) {
  if (lesson.of_training()) return std::vector<StepDocuments>(lesson.steps.size());
  json now = lesson.start.empty() ? json::object() : json::parse(lesson.start);
  if (!now.contains("attnscope")) now["attnscope"] = 1;
  if (!now.contains("title") && !lesson.of_model()) now["title"] = lesson.title;
  std::vector<StepDocuments> all;
  for (const Step& step : lesson.steps) {
    if (!step.change.empty()) now.merge_patch(json::parse(step.change));
    if (lesson.of_model()) stand_in_model(now, lesson, step, name);
    const auto changed_by = [&](const std::string& patch) -> std::optional<Document> {
      if (patch.empty()) return std::nullopt;
      json changed = now;
      changed.merge_patch(json::parse(patch));
      return document_of(changed, name, step.line);
    };
    StepDocuments made{document_of(now, name, step.line), changed_by(step.held), changed_by(step.done_by)};
    all.push_back(std::move(made));
  }
  return all;
}

}  // namespace attnscope::lessons
