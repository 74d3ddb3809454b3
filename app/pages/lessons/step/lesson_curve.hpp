// app/pages/lessons/step: the curve of a run that a step asks for, drawn by hand on its empty axes.
#pragma once

#include <cstdint>

#include "app/pages/lessons/parts/curve_sketch.hpp"
#include "app/pages/lessons/step/parts.hpp"
#include "app/training/panels.hpp"

namespace attnscope {

/// What a question for a curve is about.
struct AskedCurve {
  const training::LabRun* run = nullptr;  // null: it is not there yet
  MeasuredCurve measured;
  std::int64_t from = 0;  // of a branch the step that it begins at: what is before it is no secret
  std::int64_t last = 1;  // where the axis of steps ends: fixed, however far the run is trained on
};
AskedCurve asked_curve(const LessonPage&, const lessons::CurveQuestion&);

/// The large plot becomes the axes with what is drawn on them, and once it is revealed the run's curve too;
/// the small plots are covered until then. Refers to the page and the question while it is drawn.
void ask_for_curve(LessonPage&, TrainingPanels&, const lessons::CurveQuestion&);

}  // namespace attnscope
