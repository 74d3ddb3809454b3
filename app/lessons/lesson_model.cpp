#include "app/lessons/lesson_model.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/models/changes.hpp"

namespace attnscope::lessons {
namespace {

const std::array<NamedModel, 1>& named_models() {
  static const std::array<NamedModel, 1> all{{{"smollm2",
                                               "SmolLM2-135M-Instruct",
                                               "SmolLM2-135M-Instruct.Q4_1.gguf",
                                               "98 MB",
                                               {"tests/models/fetch smollm2", "ollama pull smollm2:135m"},
                                               "build/models/smollm2.gguf"}}};
  return all;
}

/// Only lower-case letters and digits: "SmolLM2-135M-Instruct" and "smollm2_135m_instruct" are the same name.
std::string plain_name(std::string_view name) {
  std::string plain;
  for (const char c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return plain;
}

bool is_path(std::string_view name) { return name.find('/') != name.npos; }

}  // namespace

const NamedModel* named_model(std::string_view name) {
  const auto found = std::ranges::find(named_models(), name, &NamedModel::name);
  return found == named_models().end() ? nullptr : &*found;
}

bool is_called(const NamedModel& model, std::string_view elsewhere) {
  const std::string name = plain_name(elsewhere);
  if (name.find(plain_name(model.title)) != name.npos) return true;
  // Ollama's tag of the same weights: "smollm2:135m", "smollm2:135m-instruct-q4_K_M".
  return std::ranges::any_of(model.commands, [&](std::string_view command) {
    constexpr std::string_view pull = "ollama pull ";
    return command.starts_with(pull) && elsewhere == command.substr(pull.size());
  });
}

std::optional<std::filesystem::path> find_model(std::string_view name, const std::filesystem::path& lesson,
                                                const std::filesystem::path& assets,
                                                const std::stop_token& stop) {
  std::error_code unknown;
  if (is_path(name)) {
    const std::filesystem::path path = std::filesystem::absolute(lesson).parent_path() / name;
    return std::filesystem::exists(path, unknown) ? std::optional(path.lexically_normal()) : std::nullopt;
  }
  const NamedModel* const model = named_model(name);
  if (model == nullptr) return std::nullopt;
  const std::filesystem::path fetched = assets.parent_path() / model->fetched;
  if (std::filesystem::exists(fetched, unknown)) return fetched;
  const auto variable = [](const char* asked) { return std::getenv(asked); };
  for (const ModelPlace& place : find_models(model_roots(variable), {}, stop))
    if (place.is_known && is_called(*model, place.name)) return place.path;
  return std::nullopt;
}

std::vector<StepDocuments> placed_in(const OpenedModelPtr& model, const Lesson& lesson,
                                     std::vector<StepDocuments> documents,
                                     const std::filesystem::path& file) {
  const ModelSpec& spec = model->model->spec;
  const AttentionOf of = output_attention(spec);
  const std::filesystem::path folder = std::filesystem::absolute(file).parent_path();
  const auto blocks = std::ssize(spec.stack(of).blocks);
  for (std::size_t i = 0; i < documents.size(); ++i) {
    const Step& step = lesson.steps[i];
    bool is_reached = false;
    const auto line_of = [&](const Error& error) {
      if (is_reached) return step.done_by_place.line_of(error);
      const auto* const lined = dynamic_cast<const LineError*>(&error);
      return lined != nullptr && lined->line() > 0 ? lined->line() : line_of_document(lesson, i, error);
    };
    const auto place = [&](Document& document) {
      ModelContext& within = document.within.change();
      within.model = model;
      within.path = model->path;
      within.fingerprint = model->fingerprint;
      within.of = of;
      if (spec.image && within.input.image.empty()) throw Error("The step says no picture; \"image\" does.");
      if (!within.input.image.empty()) within.input.image = (folder / within.input.image).lexically_normal();
      if (within.block >= blocks)
        throw LineError(step.lines.head,
                        fmt::format("The model has {} {}; asked for layer {}, counted from 0.", blocks,
                                    blocks == 1 ? "layer" : "layers", within.block));
      check(within.changes, spec);
    };
    try {
      place(documents[i].shown);
      is_reached = true;
      if (documents[i].reached) place(*documents[i].reached);
    } catch (const Error& error) {
      throw Error(fmt::format("{}:{}: {}", file.filename().native(), line_of(error), error.what()));
    }
  }
  return documents;
}

void LessonModels::want(const std::string& name, const std::filesystem::path& lesson,
                        const OpenedModelPtr& open) {
  if (name.empty()) {
    if (task_) task_->cancel();
    task_ = nullptr;
    shown_ = {};
    return;
  }
  const NamedModel* const is = named_model(name);
  if (open && is != nullptr && shown_.state != ShownLessonModel::State::Open && is_called(*is, open->name)) {
    shown_ = {.state = ShownLessonModel::State::Open,
              .name = name,
              .is = is,
              .share = 0,
              .problem = {},
              .model = open};
    return;
  }
  const bool same = shown_.name == name && (!is_path(name) || lesson_ == lesson);
  if (same && shown_.state != ShownLessonModel::State::None) return;
  lesson_ = lesson;
  shown_ = {};
  shown_.name = name;
  shown_.is = is;
  begin();
}

void LessonModels::begin() {
  if (task_) task_->cancel();
  shown_.problem.clear();
  shown_.model = nullptr;
  if (!is_path(shown_.name) && shown_.is == nullptr) {
    shown_.state = ShownLessonModel::State::Broken;
    shown_.problem = fmt::format("No model is called \"{}\" here.", shown_.name);
    return;
  }
  shown_.state = ShownLessonModel::State::Coming;
  task_ = std::make_shared<Task<OpenedModelPtr, Reading>>(
      [name = shown_.name, lesson = lesson_, assets = assets_](const std::stop_token& stop,
                                                               Reading& reading) -> OpenedModelPtr {
        reading.stop = stop;
        const auto path = find_model(name, lesson, assets, stop);
        return path ? open_whole_model(*path, &reading) : nullptr;
      });
  worker_.replace(task_);
}

void LessonModels::look_again() {
  if (shown_.state != ShownLessonModel::State::Absent && shown_.state != ShownLessonModel::State::Broken)
    return;
  shown_.looked_again = true;
  begin();
}

bool LessonModels::poll() {
  if (!task_) return false;
  shown_.share = task_->progress().share();
  if (!task_->is_done()) return false;
  const auto done = std::exchange(task_, nullptr);
  if (!done->result()) {
    shown_.state = ShownLessonModel::State::Broken;
    shown_.problem = done->error();
    return false;
  }
  shown_.model = done->take();
  shown_.state = shown_.model ? ShownLessonModel::State::Open : ShownLessonModel::State::Absent;
  return shown_.model != nullptr;
}

void LessonModels::wait() const {
  if (task_) worker_.wait();
}

}  // namespace attnscope::lessons
