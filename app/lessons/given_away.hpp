// app/lessons: checks whether the answer of a step's question can be read beside it, or on the step before.
// Numbers are the same only if their expressions look up the same names, not if they are merely equal.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/lessons/lesson.hpp"

namespace attnscope::lessons {

/// A number that was looked up.
struct LookedUp {
  std::string name;
  std::vector<double> arguments;  // with the head, for a score or a weight
  double value = 0;
  bool operator==(const LookedUp&) const = default;
};

/// A number that a step contains, or its answer.
struct ReadNumber {
  std::string text;  // its expression
  int line = 0;
  double value = 0;
  std::vector<LookedUp> from;  // the looked-up numbers in it
};

/// What a learner can read on a step.
class ShownStep {
 public:
  /// `numbers` refer to objects that `alive` keeps. `keys`: of the matrix that is shown; 0: none, in a lesson
  /// that trains. `holds`: a held matrix is beside it.
  ShownStep(const Step& step, const LookUp& numbers, std::int64_t keys, bool holds,
            std::vector<std::shared_ptr<const void>> alive);

  /// The places where the answer of this step's question can be read, on this step or on the step before
  /// (null: this is the first), as "NAME:12: sentence".
  std::vector<std::string> given_away(const std::string& name, const ShownStep* before) const;

 private:
  /// A cell of a plane, or a whole row of it.
  struct Asked {
    std::string plane;  // scores, scaled, masked or weights
    std::int64_t query = 0, head = 0;
    bool of_held = false;
    bool row_alone = false;  // shown below the matrix, for the step's row
  };
  ReadNumber read(const Expression&) const;
  void read(const Prose&, std::vector<ReadNumber>& into) const;
  std::optional<Asked> cell_of(const LookedUp&) const;
  /// Whether a matrix or the table of a row shows it when nothing is covered.
  bool shows(const Asked&) const;
  /// Whether it is shown beside the open question.
  bool shows_open(const Asked&) const;
  std::optional<double> look_up(const std::string& name, const std::vector<double>& arguments) const;
  std::vector<const ReadNumber*> written(bool is_open) const;

  void add_drag(const DragQuestion&, const ShownStep* before, std::vector<std::string>& all) const;
  void add_sketch(const SketchQuestion&, const ShownStep* before, std::vector<std::string>& all) const;
  bool cell_stood(const ShownStep& before, const DragQuestion&, const ReadNumber& answer) const;
  bool row_stood(const ShownStep& before, const SketchQuestion&) const;
  const ReadNumber* row_written(const SketchQuestion&, const std::vector<const ReadNumber*>&) const;

  const Step* step_;
  LookUp numbers_;
  std::int64_t keys_;
  bool holds_;
  std::vector<std::shared_ptr<const void>> alive_;
  std::vector<ReadNumber> words_, code_, said_;  // said_: with the answer
};

/// Warnings about wrong choices without an explanation.
std::vector<std::string> silent_choices(const Lesson&, const std::string& name);

}  // namespace attnscope::lessons
