// app/pages/lessons/step: the weights of a head as lessons show them, in maps and tables alike.
#pragma once

#include "app/pages/lessons/step/parts.hpp"

namespace attnscope {

/// Whether a head is zeroed: it computes its weights, but its output is 0.
bool gives_nothing(const Document&, std::int64_t head);
/// The stage of the weights that a step shows of a head: those that mix its values, after interventions; for
/// a zeroed head those that it computes.
Stage lesson_weights(const lessons::Lesson&, const LayerResult&, std::int64_t head);
Stage lesson_weights(const LessonPage&, const LayerResult&, std::int64_t head);
/// The length that a head's output would have in that row without its zeroing: ‖Σ weight·v‖ of its own
/// weights; 0 without values.
double length_before_zeroing(const LayerResult&, std::int64_t head, std::int64_t row);

}  // namespace attnscope
