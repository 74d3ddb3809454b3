// app/pages/lessons: the controls that a step can show: those of attention, of the block around it, and of
// training.
#pragma once

#include <span>
#include <string_view>

#include "app/pages/lessons/step/parts.hpp"

namespace attnscope {

/// Draws one control with its left end at `at.x`; returns how wide it is. Changes nothing while a question is
/// open.
using DrawControl = float (*)(LessonPage&, const Box& at);

/// A switch with its words. `clicked`: the user turned it, and no question is open.
float draw_lesson_switch(LessonPage&, const Box& at, const char* label, std::string_view shown, bool on,
                         const Tip&, bool& clicked);

struct NamedControl {
  std::string_view name;
  DrawControl draw;
};
/// The controls of a lesson that trains.
std::span<const NamedControl> training_controls();

float draw_block_control(LessonPage&, const Box& at);
float draw_norm_control(LessonPage&, const Box& at);
float draw_residual_control(LessonPage&, const Box& at);
float draw_mlp_control(LessonPage&, const Box& at);
float draw_activation_control(LessonPage&, const Box& at);

}  // namespace attnscope
