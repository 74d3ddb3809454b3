// app/pages/lessons/step: the card of a step's question: what its parts share.
#pragma once

#include <cstdint>

#include "app/pages/lessons/step/parts.hpp"

namespace attnscope {

/// The card's place; its height follows from what stands in it.
struct QuestionCard {
  float x, y, width, pad;
  float inner() const { return width - 2 * pad; }
};

/// Draws prose with its top at y, which is below it then.
void draw_question_words(LessonPage&, const lessons::Prose&, float x, float& y, float width,
                         const ProseStyle&);
float question_height_of(LessonPage&, const lessons::Prose&, float width, const ProseStyle&);
/// Of what is said when it is revealed.
ProseStyle told_style(const LessonPage&);
/// Of all choices together.
std::int64_t all_votes(const StepAnswer&);

// What is answered, each from y on; they return the y below.
float draw_choices(LessonPage&, const QuestionCard&, float y, const lessons::ChooseQuestion&);
/// What is measured of what is dragged; empty where it cannot be computed. And what is said of it.
std::optional<double> measured_answer(const LessonPage&, const lessons::Question&);
std::string drag_told(const LessonPage&, const lessons::Question&, double answer, bool near);
float draw_drag(LessonPage&, const QuestionCard&, float y, const lessons::Question&);
/// The weights of a row as bars that are drawn with the mouse; they always sum to 1.
float draw_row_sketch(LessonPage&, const QuestionCard&, float y, const lessons::SketchQuestion&);
/// What is drawn on the axes of the run, and once it is revealed how near it was.
float draw_curve_told(LessonPage&, const QuestionCard&, float y, const lessons::CurveQuestion&);

}  // namespace attnscope
