// app/shell: a step of the lesson on screen for an HTML file: in words and pictures, before and after what is
// asked is revealed.
#pragma once

#include "app/exports/html/lesson_page.hpp"

namespace attnscope {

class App;
/// Draws it in a Dear ImGui context of its own; leaves the current one as it was. Everything the step shows
/// must be computed. Throws Error where no lesson is on screen.
HtmlLessonStep draw_html_step(const App&);

}  // namespace attnscope
