// tests/app: a robot with a small model of letters, and the same text run without the window.
#pragma once

#include <span>
#include <string>

#include "app/pages/model/state/model_state.hpp"
#include "core/models/opened/opened_model.hpp"
#include "core/models/run_model.hpp"
#include "robot/robot.hpp"
#include "support/letters_gpt.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::test {

struct LettersWindow {
  int width = 1600, height = 1000;
  int blocks = 3, d_model = 16;
};
/// The model lies in "letters".
inline RobotOptions with_letters(const TemporaryDirectory& directory, const LettersWindow& window = {}) {
  write_letters_gpt(directory / "letters", window.blocks, window.d_model);
  RobotOptions options;
  options.width = window.width;
  options.height = window.height;
  options.file = directory / "letters";
  return options;
}

inline void type_text(Robot& robot, const std::string& text) {
  robot.retype("##Text", text);
  robot.key(ImGuiKey_Escape);
  robot.settle();
}

struct LettersFolder {
  TemporaryDirectory directory;
};
/// A robot with that model, which has read "ab c de a".
struct LettersRobot : LettersFolder, Robot {
  explicit LettersRobot(const LettersWindow& window = {}) : Robot(with_letters(directory, window)) {
    type_text(*this, "ab c de a");
  }
};

inline const ModelContext& model_within(const Robot& robot) { return robot.document().within.read(); }
inline const ModelState& model_state(Robot& robot) { return model_state_of(robot.app().view()); }

/// The model on screen, computed directly by functions of core.
struct ModelAlone {
  explicit ModelAlone(const Robot& robot)
      : within(robot.document().within.read()),
        model(*within.model->model),
        tokens(tokens_of(*within.model, within.input)),
        clean(run_model(model, tokens.input, {.entropy = true}, work)),
        changed(run_model(model, tokens.input, {.entropy = true, .changes = within.changes}, work)) {}

  ThreadPool pool{1};
  Work work{pool, {}};
  ModelContext within;
  const Model& model;
  ModelTokens tokens;
  ModelRun clean, changed;
  std::int64_t last() const { return clean.logits.rows() - 1; }
  std::span<const float> logits(const ModelRun& run) const {
    return {run.logits.row(last()), static_cast<std::size_t>(run.logits.width)};
  }
};

}  // namespace attnscope::test
