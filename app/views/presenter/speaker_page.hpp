// app/views/presenter: the speaker's own window.
#pragma once

#include "app/kit/ui/ui.hpp"
#include "app/lessons/course.hpp"
#include "app/lessons/lesson.hpp"
#include "app/state/teaching/lesson_state.hpp"

namespace attnscope {

/// What the speaker's window shows. Refers to its parts.
struct SpeakerPage {
  const lessons::Lesson& lesson;
  const LessonState& state;
  const lessons::Course* course = nullptr;  // that has LessonState::stop; null: no course is taken
  std::int64_t from = 0;                    // the stop at which presenting it began
  double course_seconds = 0;                // since then
  double seconds = 0;                       // since presenting began: the clock
};

/// The minutes that are left of a course as planned, and how many the speaker is behind its plan; negative:
/// ahead of it, 0: within the time of this stop.
struct CourseTime {
  double left = 0, behind = 0;
};
CourseTime course_time(const lessons::Course&, std::int64_t stop, std::int64_t from, double seconds);

/// The notes of a step, from LessonState::spoken, those of the next, whose numbers are not known yet, and the
/// time since it began. In a course the stop's script with its cues stands above the notes, and the time that
/// is left beside the clock.
void draw_speaker_page(const Ui&, const Box& page, const SpeakerPage&);

}  // namespace attnscope
