// app/pages/lessons/step: what the two sides of a step are called, above their matrices.
#pragma once

#include <string>

#include "app/pages/lessons/step/parts.hpp"

namespace attnscope {

/// In what a Document differs from another one, as far as a few words can say it: "divided by √64 = 8",
/// "not divided", "“dog bites man”", "RoPE". Empty where nothing differs that has a name; never the same for
/// both.
std::string differing_name(const Document& self, const Document& other);

/// The title of a side: the step's own words, while what is shown is what the step shows, else in what the
/// sides differ. Where that has no name: before and after the change. Empty where nothing is held and the
/// step has no words.
std::string lesson_side_name(const LessonPage&, const Scene& side, bool is_b);

}  // namespace attnscope
