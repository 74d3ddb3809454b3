// app/pages/lessons/step: names of the two sides of a step, written above their matrices.
#pragma once

#include <string>

#include "app/pages/lessons/step/parts.hpp"

namespace attnscope {

/// How a Document differs from another one, in a few words: "divided by √64 = 8", "not divided", "“dog bites
/// man”", "RoPE". Empty if no difference has a name; never the same for both.
std::string differing_name(const Document& self, const Document& other);

/// The title of a side: the step's own words while A is what the step shows; else the difference of the
/// sides; without a name for that, "before" and "after the change". Empty if nothing is held and the step has
/// no words.
std::string lesson_side_name(const LessonPage&, const Scene& side, bool is_b);

}  // namespace attnscope
