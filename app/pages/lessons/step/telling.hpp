// app/pages/lessons/step: a step in words, for output outside of the window (HTML pages).
#pragma once

#include "app/lessons/told_step.hpp"
#include "app/pages/lessons/step/parts.hpp"

namespace attnscope {

/// Tells everything except the sides.
void tell_lesson_step(const LessonPage&, ToldStep&);
/// Tells the matrices of weights that the step shows; none if it shows something else.
void tell_lesson_sides(const LessonPage&, ToldStep&);
/// The numbers for lines of code: those of stages that the step does not show yet are "…".
ProseLookUp lesson_code_look_up(const LessonPage&);

}  // namespace attnscope
