// app/pages/lessons/step: the curve of a run that a step asks for, drawn by hand on its empty axes.
#pragma once

#include <cstdint>

#include "app/pages/lessons/parts/curve_sketch.hpp"
#include "app/pages/lessons/step/parts.hpp"
#include "app/training/panels.hpp"

namespace attnscope {

/// The curve that a question asks for.
struct AskedCurve {
  const training::LabRun* run = nullptr;  // null: not trained yet
  MeasuredCurve measured;
  std::int64_t from = 0;  // the first step of a branch: the curve before it is shown
  std::int64_t last = 1;  // end of the axis of steps: fixed, however far the run is trained
};
AskedCurve asked_curve(const LessonPage&, const lessons::CurveQuestion&);

/// Replaces the large plot by axes with the drawn curve, and the run's curve once it is revealed; the small
/// plots are covered until then. Refers to the page and the question while it is drawn.
void ask_for_curve(LessonPage&, TrainingPanels&, const lessons::CurveQuestion&);

}  // namespace attnscope
