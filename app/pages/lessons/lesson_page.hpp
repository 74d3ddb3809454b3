// app/pages/lessons: the whole page: a step of a lesson, or the list of them.
#pragma once

#include "app/pages/lessons/step/parts.hpp"

namespace attnscope {

/// Draws the list of lessons, or the step of the open one.
void draw_lessons(Scene&, const Box&);
/// Draws the courses and the list of all lessons.
void draw_lesson_list(Scene&, const Box&);
/// A course with its chapters, or why it cannot be read; returns the y below.
float draw_course(Scene&, const lessons::Course&, float x, float y, float width);

}  // namespace attnscope
