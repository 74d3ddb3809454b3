// app/pages/lessons/step: actions in a lesson, by keys and by clicks: steps, answers, revealing, free play.
#pragma once

#include "app/lessons/library.hpp"
#include "app/scene/scene.hpp"
#include "app/state/teaching/lesson_state.hpp"

namespace attnscope {

/// The lesson on screen and its step; null if none is open.
const lessons::OpenLesson* lesson_in(const Shown&);
const lessons::Step* lesson_step(const Scene&);
/// Whether the model on screen is up to date with the Document, including the layer on screen.
bool is_lesson_model_there(const Scene&);
/// Whether the lesson on screen trains; and whether its step's run has been trained to the step.
bool is_lesson_training(const Shown&);
bool is_lesson_run_there(const Scene&);
/// Whether a question is open: numbers that would answer it are covered, and nothing can be changed.
bool is_lesson_covered(const Scene&);

/// Shows a step, from 0, of this lesson or of another one by its name.
void go_to_lesson_step(Scene&, std::int64_t step);
void open_lesson(Scene&, const std::string& name, std::int64_t step = 0);
/// Opens the experiment of that number, from 1.
void open_experiment_numbered(Scene&, std::int64_t number);
/// Back to the list of lessons; the Document stays.
void leave_lesson(Scene&);

/// The course that is taken, while its stop belongs to the lesson on screen; else null.
const lessons::Course* lesson_course(const Scene&);
const lessons::CourseStop& course_stop(const Scene&, const lessons::Course&);
/// Shows a stop of a course; without one the furthest that was reached.
void go_to_course(Scene&, const lessons::Course&, std::optional<std::int64_t> stop = {}, bool anew = false);
/// Turns presenter mode on.
void present_lessons(Scene&);
/// From the list of lessons, goes on with the first course.
void continue_course(Scene&);
/// Predictions that were right or near, out of those that were made and revealed.
struct LessonScore {
  std::int64_t right = 0, asked = 0;
};
/// Of a chapter's steps, since the program was started.
LessonScore chapter_score(const Scene&, const lessons::Course&, std::size_t chapter);

/// The lesson after the one on screen in the list; null after the last, and after a lesson that is not in it.
const lessons::LessonEntry* next_lesson(const Scene&);
/// The next step; after the last, except in presenter mode, the next lesson. In a course, its next stop. In
/// the list of lessons lesson_next() and lesson_back() scroll.
void lesson_next(Scene&);
void lesson_back(Scene&);
void lesson_to_start(Scene&);
/// Reveals the answer; does nothing if no question is open.
void lesson_reveal(Scene&);
void lesson_notes(Scene&);
void lesson_votes(Scene&);
/// In a narrow room, where one picture is shown at a time, the next of the step's pictures.
void lesson_other_picture(Scene&);
/// The votes counted so far become the first count, beside which the class is asked again; does nothing
/// before a vote, and after the answer was revealed.
void lesson_votes_again(Scene&);
/// A digit, from 1: an answer while a question is open, else nothing.
void lesson_digit(Scene&, std::int64_t digit);
/// Shows the first step of a chapter, which is counted from 0.
void go_to_lesson_chapter(Scene&, std::size_t chapter);
/// Goes from the step to Explore; Mode::Lessons goes back.
void lesson_free_play(Scene&);

LessonScore lesson_score(const Scene&);

}  // namespace attnscope
