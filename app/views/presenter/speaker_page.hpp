// app/views/presenter: what the speaker sees in a window of their own.
#pragma once

#include "app/kit/ui/ui.hpp"
#include "app/lessons/lesson.hpp"
#include "app/state/teaching/lesson_state.hpp"

namespace attnscope {

/// The notes of a step, as LessonState::spoken has them, and of the next, whose numbers are not known yet,
/// and how long it has gone on.
void draw_speaker_page(const Ui&, const Box& page, const lessons::Lesson&, const LessonState&,
                       double seconds);

}  // namespace attnscope
