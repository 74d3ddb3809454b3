// app/lessons: prose of a lesson as texts for output outside of the window.
#pragma once

#include <functional>
#include <string>

#include "app/lessons/lesson.hpp"
#include "app/lessons/told_step.hpp"

namespace attnscope {

/// `number`: writes a number of the prose. `is_english`: its words are English in any language of the window,
/// so its numbers keep the decimal point.
ToldProse told_prose(const lessons::Prose&, const std::function<std::string(const lessons::Piece&)>& number,
                     bool is_english);

}  // namespace attnscope
