// app/lessons: the model that a lesson plays with: which one its front matter means, where it lies on the
// disk, how it is got where it does not, and how it is opened behind the window.
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
  std::string_view file, size;             // what it is, and how large: for a person who has to get it
  std::vector<std::string_view> commands;  // each of which gets it
  std::string_view fetched;                // where the first command puts it, from the program's own folder
};
/// Null where no model is called so.
const NamedModel* named_model(std::string_view name);
/// Whether a model that is called so elsewhere ("SmolLM2-135M-Instruct-Q8_0", "smollm2:135m") is that one.
bool is_called(const NamedModel&, std::string_view elsewhere);

/// Where the model of a lesson lies; nothing where it is not found. A name with a slash is a path, from the
/// lesson's own folder. `assets`: of the program. Reads folders, see find_models(): up to two seconds.
std::optional<std::filesystem::path> find_model(std::string_view name, const std::filesystem::path& lesson,
                                                const std::filesystem::path& assets,
                                                const std::stop_token& = {});

/// The Documents of a lesson's steps, in the model; pictures lie as the lesson says, from its own folder.
/// Throws Error with the lesson's name, the line of the step and a sentence where the model has no such layer
/// or a change does not fit it.
std::vector<StepDocuments> placed_in(const OpenedModelPtr&, const Lesson&, std::vector<StepDocuments>,
                                     const std::filesystem::path& file);

/// What is known of the model of the lesson that is open.
struct ModelSight {
  enum class State : std::uint8_t { None, Coming, Open, Absent, Broken };
  State state = State::None;
  std::string name;                // as the lesson has it
  const NamedModel* is = nullptr;  // null where it is a path
  double share = 0;                // Coming: how much of it is read; 0 while it is looked for
  std::string problem;             // Broken: one sentence
  bool looked_again = false;       // it was asked for once more after it had not been found
  OpenedModelPtr model;            // Open
};

/// Looks for a lesson's model and opens it behind the window. Belongs to the interface's thread.
class LessonModels {
 public:
  explicit LessonModels(std::filesystem::path assets) : assets_(std::move(assets)) {}

  /// The lesson at that path wants the model; an empty name: none does. `open`: the model that is on screen,
  /// which is taken where it is the one. What was found stays until another is wanted.
  void want(const std::string& name, const std::filesystem::path& lesson, const OpenedModelPtr& open);
  /// It may have been fetched meanwhile.
  void look_again();
  /// Sees what has become of it. True when it is there now and was not before.
  bool poll();
  bool is_busy() const { return sight_.state == ModelSight::State::Coming; }
  void wait() const;
  const ModelSight& sight() const { return sight_; }

 private:
  void begin();

  std::filesystem::path assets_, lesson_;
  ModelSight sight_;
  std::shared_ptr<Task<OpenedModelPtr, Reading>> task_;
  Worker worker_;
};

}  // namespace attnscope::lessons
