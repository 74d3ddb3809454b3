// app/shell: steps of lessons on their way to the screen, free play and the way back.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "app/files/io/model_arriving.hpp"
#include "app/kit/ui/fonts.hpp"
#include "app/lessons/lesson_model.hpp"
#include "app/shell/lesson_training.hpp"
#include "app/state/requests.hpp"
#include "app/workspace/held.hpp"

namespace attnscope {

class LessonPlayer {
 public:
  LessonPlayer(Workspace&, Held&, Arriving&, ModelArriving&, LessonTraining&);

  /// The lesson that is open; null: none.
  lessons::OpenLessonPtr open() const { return space_.lessons.sight().open; }
  /// Shows that step of a lesson; what cannot be read is said. How far a person has come is kept from run to
  /// run.
  void go_to(const LessonRequest&);
  /// The same, and how far one has come stays. False: it cannot be read.
  bool show(const LessonRequest&);
  /// What is opened is shown elsewhere: the step is kept as it was, F8 brings it back.
  void leave_page();
  /// At the end of a frame. Outside the mode the person plays freely; back in it the step is as it was.
  /// `before`: the mode as this frame found it. What undo brings back is as it was then, with what was held
  /// then; else B follows the step.
  void watch(Mode before, bool by_history);
  /// Once a frame: the model of the lesson may have come, and the step that waits for it goes on.
  void follow();
  void look_for_model_again() { models_.look_again(); }
  bool is_settled() const { return !models_.is_busy(); }
  void wait_for_model() const;

  /// Whether a lesson is on screen for a room: it has notes for its speaker.
  bool is_presented() const;
  /// Draws them into the current Dear ImGui frame, which is that of another window.
  void draw_speaker_notes(const Fonts& fonts, TextureCache& textures, float scale) const;

 private:
  void hold_of_step(const std::optional<Document>& held);
  void show_step_document(const Document& wanted, bool begins);
  void want_model();
  void show_step_again();
  void show_trained_step_again();
  void stand_at_step();

  Workspace& space_;
  Held& held_;
  Arriving& arriving_;
  ModelArriving& model_arriving_;
  LessonTraining& training_;
  lessons::LessonModels models_;                    // of the lesson that is open
  std::pair<std::string, std::int64_t> held_step_;  // whose B is held
  std::pair<std::string, std::int64_t> undone_to_;  // undo brought B back with it
};

}  // namespace attnscope
