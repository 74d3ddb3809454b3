// app/pages/lessons/step: what is done in a lesson, by keys and by clicks alike: steps, answers, what is
// revealed, free play.
#pragma once

#include "app/lessons/library.hpp"
#include "app/scene/scene.hpp"
#include "app/state/teaching/lesson_state.hpp"

namespace attnscope {

/// The lesson on screen and its step; null where none is open.
const lessons::OpenLesson* lesson_in(const Shown&);
const lessons::Step* lesson_step(const Scene&);
/// Whether the model is on screen as the Document has it now, with the layer that is looked at.
bool is_lesson_model_there(const Scene&);
/// Whether the lesson on screen trains; and whether the run that its step stands at is there.
bool is_lesson_training(const Shown&);
bool is_lesson_run_there(const Scene&);
/// Whether a question is open: what would answer it is covered and cannot be changed.
bool is_lesson_covered(const Scene&);

/// The step of that number, from 0; another lesson where it has a name.
void go_to_lesson_step(Scene&, std::int64_t step);
void open_lesson(Scene&, const std::string& name, std::int64_t step = 0);
/// Back to the list of lessons; the Document stays.
void leave_lesson(Scene&);

/// That after the one on screen in the list; null after the last, and after a lesson that is not in it.
const lessons::LessonEntry* next_lesson(const Scene&);
/// The next step; after the last, unless a room is presented to, the next lesson. In the list of lessons it
/// and the next one turn the page.
void lesson_next(Scene&);
void lesson_back(Scene&);
void lesson_to_start(Scene&);
/// Shows what was covered; where nothing is asked, nothing.
void lesson_reveal(Scene&);
void lesson_notes(Scene&);
void lesson_votes(Scene&);
/// A digit, from 1: an answer while a question is open, else nothing.
void lesson_digit(Scene&, std::int64_t digit);
/// The first step of that chapter, from 0.
void go_to_lesson_chapter(Scene&, std::size_t chapter);
/// From the step into Explore; the way back is Mode::Lessons.
void lesson_free_play(Scene&);

/// Predictions that were right or near, of those that were made and revealed.
struct LessonScore {
  std::int64_t right = 0, asked = 0;
};
LessonScore lesson_score(const Scene&);

}  // namespace attnscope
