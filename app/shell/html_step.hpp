// app/shell: the step of the lesson on screen for an HTML file: words and pictures, before and after the
// answer is revealed.
#pragma once

#include "app/exports/html/lesson_page.hpp"

namespace attnscope {

class App;
/// Draws the step in a Dear ImGui context of its own; the current one stays unchanged. Everything that the
/// step shows must be computed. Throws Error if no lesson is on screen.
HtmlLessonStep draw_html_step(const App&);

}  // namespace attnscope
