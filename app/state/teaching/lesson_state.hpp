// app/state/teaching: the current step of a lesson and the answers given. app/shell brings the steps on
// screen, app/pages/lessons draws them.
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
#include <utility>
#include <vector>

#include "app/state/page/page_state.hpp"
#include "core/document/document.hpp"

namespace attnscope {

struct ToldStep;  // app/lessons/told_step.hpp

inline constexpr std::size_t most_answers = 6;
inline constexpr int frames_to_answer = 8;  // until a step's columns have the layout of the answer

/// The answer to the question of a step.
struct StepAnswer {
  std::int64_t chosen = -1;     // index of the choice in the lesson's file; -1: none yet
  std::optional<double> value;  // the dragged number
  std::vector<float> sketch;    // the drawn weights of a row, one a key; empty: not touched yet
  std::vector<float> curve;     // the curve drawn on a run's axes, see draw_into(); empty: not touched yet
  bool revealed = false;
  std::optional<bool> near;  // whether the dragged or drawn answer is near; set once revealed, not kept
  std::array<std::int64_t, most_answers> votes{};  // of a class, by the index of the choice in the file
  /// Those counted first, if the class was asked again after it had talked about the question.
  std::optional<std::array<std::int64_t, most_answers>> votes_before;
  bool operator==(const StepAnswer&) const = default;
};

struct LessonState {
  std::string name;           // see LessonLibrary::follow(); empty: the list of lessons
  std::int64_t step = 0;      // from 0
  std::int64_t order = 0;     // the seed of the order of the choices, see choice_order()
  StepAnswer answer;          // to this step's question
  bool notes = false;         // the speaker's notes are shown beside the step
  bool pytorch = false;       // code is shown in PyTorch instead of NumPy
  bool counts_votes = false;  // digit keys count the votes of a class
  std::string course;         // the course that is taken, by the name of its file; empty: none
  std::int64_t stop = 0;      // of the course, from 0

  // Not kept in sessions.
  std::int64_t next_order = 0;                 // `order` of the next playing; 0: always the same order
  std::map<std::int64_t, StepAnswer> answers;  // to the other steps' questions
  std::set<std::int64_t> reached;              // steps whose condition has been met
  /// The answers given in the course, by lesson and step: a course goes from lesson to lesson and back.
  std::map<std::pair<std::string, std::int64_t>, StepAnswer> course_answers;
  bool question_due = false;     // a request: scroll the question into sight
  bool type_due = false;         // a request: give the keyboard to the step's text field
  bool look_due = false;         // a request: choose the step's cell and stage once it is computed
  bool model_due = false;        // the step waits for its lesson's model
  std::string spoken;            // the speaker's notes of the step, with their numbers filled in
  std::optional<Document> left;  // free play: the Document of the step, for the return

  /// Where drawing the step stores its words, so that only the picture is drawn; null: the whole step is
  /// drawn.
  std::shared_ptr<ToldStep> told;
  /// For this many more frames the answer is scrolled into sight.
  int answer_due = 0;
  /// The page's state of the step while it is on screen, such as its scroll position, see
  /// app/pages/lessons/step/moments.hpp. Empty: the step begins anew.
  std::any on_page;

  /// Called before another step or the list is shown: a course keeps the answer to this step.
  void keep_answer_of_course() {
    if (!course.empty() && !name.empty() && answer != StepAnswer{})
      course_answers.insert_or_assign({name, step}, answer);
  }
  /// Called when the lesson begins: the choices get another order than the last time.
  void shuffle() {
    order = next_order;
    next_order = next_order * 48271 % 2147483647;  // Lehmer's generator: 0 stays 0, and nothing becomes 0
  }
};

/// Visits the fields that a session keeps.
void fields(PageFields&, LessonState&);
/// Makes the relative path ("./…") of a lesson of the user's own absolute: it is relative to the folder of
/// the session's file.
void find_lesson_beside(const std::filesystem::path& session, LessonState&);

inline LessonState& lesson_of(ViewState& view) { return pages_of(view).of<LessonState>(); }
inline const LessonState& lesson_of(const ViewState& view) { return pages_of(view).of<LessonState>(); }

}  // namespace attnscope
