// app/views/backends: the switch between the machine's backends, with what each took for the
// Document on screen.
#pragma once

#include <string>

#include "app/scene/scene.hpp"

namespace attnscope {

/// One segment for each backend; those that are not there say why.
void draw_backend_switch(Scene&, const char* label, const Box&);
float backend_switch_width(const Scene&);

/// The switch and both times beside each other, with their ratio, right-aligned in the top bar between `left`
/// and `right`; what does not fit is left out. A click on the times opens the milliseconds of every stage.
void draw_backend_bar(Scene&, float left, float right, float y);

/// The next backend computes; where there is none, a message says why.
void next_backend(Scene&);

/// A backend's name for the eye: what the CPU says of itself is translated, a card's name stays.
std::string backend_words(const std::string& name);
/// Why it is not another backend that computes, as a sentence; empty when the one that was chosen does.
std::string backend_note(const Scene&);
/// "0.84 ms", "12.1 s"; "–" for what is not known.
std::string time_words(const WholeTimes*);
std::string time_words(double milliseconds);
/// "7.6×"
std::string ratio_words(double ratio);

/// Of the card with the milliseconds, in device pixels.
float timings_width(const Scene&);

}  // namespace attnscope
