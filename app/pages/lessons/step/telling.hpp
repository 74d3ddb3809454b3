// app/pages/lessons/step: a step in words, for what shows it outside of the window.
#pragma once

#include "app/lessons/told_step.hpp"
#include "app/pages/lessons/step/parts.hpp"

namespace attnscope {

/// All but the sides.
void tell_lesson_step(const LessonPage&, ToldStep&);
/// The matrices of weights that the step looks at; none where it looks at something else.
void tell_lesson_sides(const LessonPage&, ToldStep&);
/// How code sees the screen: numbers of stages that the step does not let be seen yet are "…".
ProseSight lesson_code_sight(const LessonPage&);

}  // namespace attnscope
