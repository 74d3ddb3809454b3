// app/exports/html: the texts of a lesson's page, in the language of the window.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "app/kit/ui/words.hpp"

namespace attnscope {

using HtmlLessonTexts = std::map<std::string, std::string, std::less<>>;

/// By the names that the page and its script use for them.
HtmlLessonTexts html_lesson_texts(const Words&);
/// "Made with AttnScope 1.2."
std::string html_lesson_made(const Words&, std::string_view version);
/// The alt text of a step's picture; `covered`: a lid hides the answer.
std::string html_step_alt(const Words&, std::string_view title, bool covered);
/// "step 3 of 9"
std::string html_step_place(const Words&, std::int64_t step, std::int64_t of);

}  // namespace attnscope
