// app/shell: shows steps of lessons; free play and the way back to the step.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
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
  lessons::OpenLessonPtr open() const { return space_.lessons.shown_lessons().open; }
  /// Shows a step of a lesson, or says why it cannot be read. The furthest step is kept from run to run.
  void go_to(const LessonRequest&);
  /// Shows a stop of a course: its step, or from that step its page; after the last stop the list of lessons.
  /// How far the course was taken is kept from run to run.
  void go_to_stop(const CourseRequest&);
  /// Takes the course of a file, which has to be among those of the program; else says so.
  void go_to_course(const std::filesystem::path&);
  /// The same as for a step, without changing the furthest step. False: it cannot be read.
  bool show(const LessonRequest&);
  /// Another file is opened and shown elsewhere: keeps the step as it is; F8 brings it back.
  void leave_page();
  /// At the end of a frame. Outside the mode Lessons the user plays freely; back in it the step is put back.
  /// `before`: the mode at the beginning of this frame. `by_history`: undo or redo has brought back the step
  /// with the B of then; else B follows the step.
  void watch(Mode before, bool by_history);
  /// Once a frame: takes the lesson's model if it has come, and shows the step that waits for it.
  void follow();
  void look_for_model_again() { models_.look_again(); }
  bool is_settled() const { return !models_.is_busy(); }
  void wait_for_model() const;

  /// Whether a lesson is on screen in presenter mode; then it has speaker notes.
  bool is_presented() const;
  /// Draws the notes into the current Dear ImGui frame, which is that of another window.
  void draw_speaker_notes(const Fonts& fonts, TextureCache& textures, float scale) const;

 private:
  void hold_of_step(const std::optional<Document>& held);
  void show_step_document(const Document& wanted, bool begins);
  void want_model();
  void show_step_again();
  void show_trained_step_again();
  void stand_at_step();
  void leave_course_at(const LessonRequest&);
  void time_course();

  Workspace& space_;
  Held& held_;
  Arriving& arriving_;
  ModelArriving& model_arriving_;
  LessonTraining& training_;
  lessons::LessonModels models_;                    // of the open lesson
  std::pair<std::string, std::int64_t> held_step_;  // the step whose B is held
  std::pair<std::string, std::int64_t> undone_to_;  // the step that undo brought back with its B
  // For the speaker's time left:
  std::chrono::steady_clock::time_point presented_since_ = {};  // PresenterState::began of the last frame
  std::string timed_course_;                                    // the course of the last frame
  std::chrono::steady_clock::time_point course_since_ = {};     // when it was begun, or presenting it
  std::int64_t course_from_ = 0;                                // its stop at that time
};

}  // namespace attnscope
