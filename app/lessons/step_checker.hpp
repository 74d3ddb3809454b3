// app/lessons: evaluates all numbers of a step and collects the problems.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/lessons/lesson.hpp"
#include "core/engine/model/model_reading.hpp"
#include "core/engine/result.hpp"

namespace attnscope::lessons {

class StepChecker {
 public:
  /// All arguments must outlive it. Problems are added as "NAME:12: sentence".
  StepChecker(const std::string& name, const Step& step, std::vector<std::string>& problems)
      : name_(name), step_(step), problems_(problems) {}

  /// Checks what the step looks at, and its numbers. `reading`: of the layer's model; null: it has none.
  void check(const LayerResult& shown, const LayerResult* held, const ModelReading* reading = nullptr);
  /// Checks only the numbers.
  void check(const LookUp&);

  /// Checks the condition after the change that is to reach it.
  void check_reached(const LayerResult& changed, const LayerResult* held,
                     const ModelReading* reading = nullptr);
  void check_reached(const LookUp&);

  /// The look-up of the step's numbers in the last check.
  const LookUp& numbers() const { return look_up_; }

 private:
  /// `line`: 0: the step's line.
  void add(int line, std::string_view sentence);
  double evaluate(const Expression& expression);
  void check(const Prose& prose);
  void check(const Question& question);
  void check_cache(const LayerResult& shown);
  void check_cells(const LayerResult& shown, const LayerResult* held, bool is_model);
  LookUp look_up_of(const LayerResult& layer, const LayerResult* held, const ModelReading* reading) const;

  const std::string& name_;
  const Step& step_;
  std::vector<std::string>& problems_;
  LookUp look_up_;
};

}  // namespace attnscope::lessons
