// app/state/teaching: how far a lesson has come and what was answered. The shell brings its steps on screen;
// the page, app/pages/lessons, draws them.
#pragma once

#include <any>
#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/state/page/page_state.hpp"
#include "core/document/document.hpp"

namespace attnscope {

struct ToldStep;  // app/lessons/told_step.hpp

inline constexpr std::size_t most_answers = 6;
inline constexpr int frames_to_answer = 8;  // until the columns of a step stand as what was revealed needs

/// What was answered to the question of a step.
struct StepAnswer {
  std::int64_t chosen = -1;     // of choices, its place in the lesson's file; -1: none yet
  std::optional<double> value;  // that was dragged
  std::vector<float> sketch;    // weights of a row, one a key; empty: not touched yet
  std::vector<float> curve;     // that was drawn on a run's axes, see draw_into(); empty: not touched yet
  bool revealed = false;
  std::optional<bool> near;  // of what was dragged or drawn, since it was seen revealed; not kept
  std::array<std::int64_t, most_answers> votes{};  // of a class, by the choices' places in the file
  bool operator==(const StepAnswer&) const = default;
};

struct LessonState {
  std::string name;           // see LessonLibrary::follow(); empty: the list of lessons
  std::int64_t step = 0;      // from 0
  std::int64_t order = 0;     // of this playing: the seed of the order of choices, see choice_order()
  StepAnswer answer;          // to this step's question
  bool notes = false;         // of the speaker stand beside the step
  bool pytorch = false;       // in the place of NumPy
  bool counts_votes = false;  // digits count the answers of a class

  // Of the moment.
  std::int64_t next_order = 0;                 // of the next one; 0: always the same
  std::map<std::int64_t, StepAnswer> answers;  // of the other steps
  std::set<std::int64_t> reached;              // steps whose condition held once
  bool question_due = false;                   // is to be brought into sight
  bool type_due = false;                       // the step's field for a text is to take the keyboard
  bool look_due = false;                       // the step's cell and stage are chosen when it is computed
  bool model_due = false;                      // the step waits for the model of its lesson
  std::string spoken;                          // the step's notes with their numbers, for the speaker
  std::optional<Document> left;                // free play: the step as it was left, for the way back

  /// The step is told here as it is drawn, and only its picture is drawn; null: it is drawn whole.
  std::shared_ptr<ToldStep> told;
  /// So many frames more the answer is brought into sight.
  int answer_due = 0;
  /// What the page keeps of the step while it is on screen, see app/pages/lessons/step/moments.hpp: where it
  /// is scrolled. Empty: the step begins anew.
  std::any on_page;

  /// It is played from its beginning: choices stand in another order than the last time.
  void shuffle() {
    order = next_order;
    next_order = next_order * 48271 % 2147483647;  // Lehmer's generator: 0 stays 0, and nothing becomes 0
  }
};

/// What a session keeps of it.
void fields(PageFields&, LessonState&);
/// A lesson that is none of the program's own lies where the session says, from the folder of its file on.
void find_lesson_beside(const std::filesystem::path& session, LessonState&);

inline LessonState& lesson_of(ViewState& view) { return pages_of(view).of<LessonState>(); }
inline const LessonState& lesson_of(const ViewState& view) { return pages_of(view).of<LessonState>(); }

}  // namespace attnscope
