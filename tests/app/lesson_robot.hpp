// tests/app: the robot in a lesson.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "app/lessons/library.hpp"
#include "app/pages/lessons/parts/choice_order.hpp"
#include "app/pages/lessons/step/moments.hpp"
#include "app/state/teaching/lesson_state.hpp"
#include "app/training/lab_state.hpp"
#include "app/training/training_runs.hpp"
#include "robot/layout.hpp"
#include "robot/robot.hpp"

namespace attnscope::test {

struct Player : Robot {
  explicit Player(const RobotOptions& options = {.width = 1280, .height = 720}) : Robot(options) { settle(); }
  void open(const std::string& name) {
    press(ImGuiKey_F8);
    scroll_to("lesson " + name);
    click("lesson " + name);
    settle();
  }
  /// Turns the wheel over the list of lessons until the widget is in sight.
  void scroll_to(const std::string& label) {
    const ImVec2 size = ImGui::GetIO().DisplaySize;
    move({size.x / 2, size.y / 2});
    for (int i = 0; i < 100; ++i) {
      const RecordedItem* const item = items().find(label.c_str());
      if (item == nullptr || (item->visible && item->max.y < size.y - 60)) return;
      scroll(-1);
      frame(2);
    }
  }
  void press(ImGuiKey pressed, int mods = 0) {
    key(pressed, mods);
    settle();
  }
  const LessonState& state() { return lesson_of(app().view()); }
  const LessonMoments& moments() { return moments_of(lesson_of(app().view())); }
  const lessons::OpenLesson& lesson() { return *app().lessons().open(); }
  const lessons::Step& step() { return lesson().lesson.steps[static_cast<std::size_t>(state().step)]; }
  /// The place on screen, from 0, of a choice of the step; `choice`: its place in the lesson's file.
  std::size_t place_of(std::size_t choice) {
    const auto& question = std::get<lessons::ChooseQuestion>(step().question->kind);
    const auto order = choice_order({lesson().name, state().step, state().order}, question.choices.size());
    return static_cast<std::size_t>(std::ranges::find(order, choice) - order.begin());
  }
  ImGuiKey digit_of(std::size_t choice) { return static_cast<ImGuiKey>(ImGuiKey_1 + place_of(choice)); }
  const Document& of_step(std::int64_t step) {
    return lesson().documents[static_cast<std::size_t>(step)].shown;
  }
  /// Whether the screen shows the step's state; in a lesson on a model the state of the model, if it is on
  /// this computer.
  bool stands_at(std::int64_t step) {
    if (lesson().lesson.of_training()) return trains_at(step);
    const ModelContext& said = of_step(step).within.read();
    if (!lesson().lesson.of_model()) return document() == of_step(step);
    return !said || document().within.read() == said;
  }
  /// Whether the runs, the step in view and the page's settings are those of the step.
  bool trains_at(std::int64_t step) {
    const lessons::TrainedStep& said = lesson().lesson.steps[static_cast<std::size_t>(step)].trained;
    const LabState& lab = lab_of(app().view());
    const training::LabStand stand = lessons::stand_of(said, lab);
    const training::ShownLab& shown = app().training().shown_lab();
    if (!app().training().has_stood() || !shown.recipe || !(*shown.recipe == prepared(stand.recipe)))
      return false;
    if (lab.task != said.task || lab.control != said.control || lab.seed != said.seed) return false;
    if (lab.step != said.look || lab.side != said.side || lab.playing) return false;
    if (shown.runs.size() != (said.branch ? 2u : 1u)) return false;
    const training::LabRun& a = *shown.runs.front();
    if (a.step != said.steps || a.points.back()->metrics.step != a.step) return false;
    if (!(a.knobs == training::usual_knobs(*shown.recipe))) return false;
    if (!said.branch) return true;
    const training::LabRun& b = *shown.runs.back();
    return b.branch == said.branch->at && b.step == said.branch->steps && b.knobs == said.branch->knobs;
  }
  std::string collides() {
    std::string all;
    for (const std::string& one : collisions(texts_of(*this))) all += one + "\n";
    return all;
  }
  bool says(const std::string& words) {
    for (const PlacedText& text : texts_of(*this))
      if (text.text.find(words) != std::string::npos) return true;
    return false;
  }
};

inline std::vector<std::string> all_lessons() {
  std::vector<std::string> names;
  for (const auto& file :
       std::filesystem::directory_iterator(std::filesystem::path(ATTNSCOPE_ASSETS) / "lessons"))
    if (const std::string stem = file.path().stem().native(); stem.find('.') == std::string::npos)
      names.push_back(stem);
  std::ranges::sort(names);
  return names;
}

}  // namespace attnscope::test
