// app/lessons: the model of a lesson: which one its front matter names, where it is on the disk, how to get
// it, and opening it in the background.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/lessons/check.hpp"
#include "core/base/worker.hpp"
#include "core/files/formats/reading.hpp"
#include "core/models/opened/model_places.hpp"
#include "core/models/opened/opened_model.hpp"

namespace attnscope::lessons {

/// A model that lessons may name in their front matter, "model: smollm2".
struct NamedModel {
  std::string_view name, title;            // "smollm2", "SmolLM2-135M-Instruct"
  std::string_view file, size;             // what has to be downloaded, and its size
  std::vector<std::string_view> commands;  // each of them downloads it
  std::string_view fetched;                // where the first command puts it, from the program's folder
};
/// Null if no model has this name.
const NamedModel* named_model(std::string_view name);
/// Whether a model with this name elsewhere ("SmolLM2-135M-Instruct-Q8_0", "smollm2:135m") is the same one.
bool is_called(const NamedModel&, std::string_view elsewhere);

/// The path of a lesson's model; empty if it is not found. A name with a slash is a path, relative to the
/// lesson's folder. `assets`: of the program. Reads folders, see find_models(): up to two seconds.
std::optional<std::filesystem::path> find_model(std::string_view name, const std::filesystem::path& lesson,
                                                const std::filesystem::path& assets,
                                                const std::stop_token& = {});

/// The Documents of a lesson's steps, in the model; paths of pictures are relative to the lesson's folder.
/// Throws Error with the lesson's name, the line of the step and a sentence if the model has no such layer or
/// a change does not fit it.
std::vector<StepDocuments> placed_in(const OpenedModelPtr&, const Lesson&, std::vector<StepDocuments>,
                                     const std::filesystem::path& file);

/// The state of the model of the open lesson.
struct ShownLessonModel {
  enum class State : std::uint8_t { None, Coming, Open, Absent, Broken };
  State state = State::None;
  std::string name;                // as in the lesson
  const NamedModel* is = nullptr;  // null if it is a path
  double share = 0;                // Coming: the share that is read; 0 during the search
  std::string problem;             // Broken: one sentence
  bool looked_again = false;       // it was searched once more after it had not been found
  OpenedModelPtr model;            // Open
};

/// Finds a lesson's model and opens it in the background. Belongs to the interface's thread.
class LessonModels {
 public:
  explicit LessonModels(std::filesystem::path assets) : assets_(std::move(assets)) {}

  /// Sets the model of the lesson at that path; an empty name: none. `open`: the model on screen, which is
  /// used if it is the right one. A found model stays until another is wanted.
  void want(const std::string& name, const std::filesystem::path& lesson, const OpenedModelPtr& open);
  /// Searches again: it may have been downloaded meanwhile.
  void look_again();
  /// Takes over the result of the search or of opening. True if the model has become available.
  bool poll();
  bool is_busy() const { return shown_.state == ShownLessonModel::State::Coming; }
  void wait() const;
  const ShownLessonModel& shown_model() const { return shown_; }

 private:
  void begin();

  std::filesystem::path assets_, lesson_;
  ShownLessonModel shown_;
  std::shared_ptr<Task<OpenedModelPtr, Reading>> task_;
  Worker worker_;
};

}  // namespace attnscope::lessons
