// app/pages/lessons: the whole page: a step of a lesson, or the list of them.
#pragma once

#include "app/pages/lessons/step/parts.hpp"

namespace attnscope {

/// The list of lessons, or the step of the one that is open.
void draw_lessons(Scene&, const Box&);
/// All lessons that there are.
void draw_lesson_list(Scene&, const Box&);

}  // namespace attnscope
