// app/views/presenter: the speaker's own window.
#pragma once

#include "app/kit/ui/ui.hpp"
#include "app/lessons/lesson.hpp"
#include "app/state/teaching/lesson_state.hpp"

namespace attnscope {

/// The notes of a step, from LessonState::spoken, those of the next, whose numbers are not known yet, and the
/// time since it began.
void draw_speaker_page(const Ui&, const Box& page, const lessons::Lesson&, const LessonState&,
                       double seconds);

}  // namespace attnscope
