// app/pages/lessons: what the shell's bars, palette and presenter need to know of the page, see PageFacts.
#pragma once

#include <string>
#include <vector>

#include "app/scene/scene.hpp"

namespace attnscope {

struct PaletteEntry;
struct PresenterKey;

/// Adds all readable lessons by title.
void add_lessons_to_palette(const Shown&, std::vector<PaletteEntry>&);
/// The keys of the step on screen, or of the list of lessons.
std::vector<PresenterKey> lesson_presenter_keys(const Scene&);
/// "Two jobs, two heads · A, step 300 · seed 0": the task and the run whose heads are drawn, at the shown
/// step. Empty if no lesson that trains is on screen.
std::string trained_run_name(const Scene&);

}  // namespace attnscope
