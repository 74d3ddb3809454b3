// app/state/teaching: how far a lesson has come, what was answered, and what is drawn over it while it is
// presented.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/document/document.hpp"

namespace attnscope {

inline constexpr std::size_t most_answers = 6;

/// What was answered to the question of a step.
struct StepAnswer {
  std::int64_t chosen = -1;     // of choices; -1: none yet
  std::optional<double> value;  // that was dragged
  std::vector<float> sketch;    // weights of a row, one a key; empty: not touched yet
  bool revealed = false;
  std::array<std::int64_t, most_answers> votes{};  // of a class
  bool operator==(const StepAnswer&) const = default;
};

struct LessonState {
  std::string name;           // see LessonLibrary::follow(); empty: the list of lessons
  std::int64_t step = 0;      // from 0
  StepAnswer answer;          // to this step's question
  bool notes = false;         // of the speaker stand beside the step
  bool pytorch = false;       // in the place of NumPy
  bool counts_votes = false;  // digits count the answers of a class

  // Of the moment.
  std::map<std::int64_t, StepAnswer> answers;  // of the other steps
  std::set<std::int64_t> reached;              // steps whose condition held once
  bool question_due = false;                   // is to be brought into sight
  bool look_due = false;                       // the step's cell and stage are chosen when it is computed
  bool grid_due = false;                       // the step's head is to be brought into sight
  bool model_due = false;                      // the step waits for the model of its lesson
  std::string spoken;                          // the step's notes with their numbers, for the speaker
  std::optional<Document> left;                // free play: the step as it was left, for the way back
  float scroll = 0, code_scroll = 0, list_scroll = 0;  // logical pixels
};

}  // namespace attnscope
