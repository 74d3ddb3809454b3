// app/pages/lessons/step: the card of a step's question: what its parts share.
#pragma once

#include <array>
#include <cstdint>

#include "app/pages/lessons/step/parts.hpp"

namespace attnscope {

/// The card's place; its height follows from its contents.
struct QuestionCard {
  float x, y, width, pad;
  float inner() const { return width - 2 * pad; }
};

/// Draws prose with its top at y and moves y below it.
void draw_question_words(LessonPage&, const lessons::Prose&, float x, float& y, float width,
                         const ProseStyle&);
float question_height_of(LessonPage&, const lessons::Prose&, float width, const ProseStyle&);
/// The style of words that are shown once the answer is revealed.
ProseStyle told_style(const LessonPage&);
/// The votes for all choices together: those counted last, or of any count.
std::int64_t all_votes(const StepAnswer&);
std::int64_t all_votes(const std::array<std::int64_t, most_answers>& votes);

// The kinds of answers, drawn from y on; they return the y below.
float draw_choices(LessonPage&, const QuestionCard&, float y, const lessons::ChooseQuestion&);
/// The true value of a dragged answer, empty if it cannot be computed; and the sentence about it.
std::optional<double> measured_answer(const LessonPage&, const lessons::Question&);
std::string drag_told(const LessonPage&, const lessons::Question&, double answer, bool near);
float draw_drag(LessonPage&, const QuestionCard&, float y, const lessons::Question&);
/// The weights of a row as bars that the mouse draws; they always sum to 1.
float draw_row_sketch(LessonPage&, const QuestionCard&, float y, const lessons::SketchQuestion&);
/// How to draw the curve, and once it is revealed how near the drawing was.
float draw_curve_told(LessonPage&, const QuestionCard&, float y, const lessons::CurveQuestion&);

}  // namespace attnscope
