// app/lessons: everything that a step says of numbers, evaluated; what goes wrong is collected.
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
  /// All of them must outlive it. Problems are added as "NAME:12: sentence".
  StepChecker(const std::string& name, const Step& step, std::vector<std::string>& problems)
      : name_(name), step_(step), problems_(problems) {}

  /// What the step looks at, and its numbers. `reading`: of the model that the layer stands in; null: of
  /// none.
  void check(const LayerResult& shown, const LayerResult* held, const ModelReading* reading = nullptr);
  /// The numbers alone.
  void check(const LookUp&);

  /// After the change that is said to reach what is to be done.
  void check_reached(const LayerResult& changed, const LayerResult* held,
                     const ModelReading* reading = nullptr);
  void check_reached(const LookUp&);

  /// The step's numbers, as they were asked for last.
  const LookUp& numbers() const { return look_up_; }

 private:
  /// `line`: 0: that of the step.
  void add(int line, std::string_view sentence);
  double evaluate(const Expression& expression);
  void check(const Prose& prose);
  void check(const Question& question);
  void check_cells(const LayerResult& shown, const LayerResult* held, bool is_model);
  LookUp look_up_of(const LayerResult& layer, const LayerResult* held, const ModelReading* reading) const;

  const std::string& name_;
  const Step& step_;
  std::vector<std::string>& problems_;
  LookUp look_up_;
};

}  // namespace attnscope::lessons
