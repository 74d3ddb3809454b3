// app/views/backends: the switch between the machine's backends, with the time of each for the Document on
// screen.
#pragma once

#include <string>

#include "app/scene/scene.hpp"

namespace attnscope {

/// One segment for each backend; the tooltips of missing ones tell why.
void draw_backend_switch(Scene&, const char* label, const Box&);
float backend_switch_width(const Scene&);

/// The switch and both times side by side, with their ratio, right-aligned in the top bar between `left` and
/// `right`; what does not fit is left out. A click on the times opens the milliseconds of every stage.
void draw_backend_bar(Scene&, float left, float right, float y);

/// Switches to the next backend; if there is none, a notice tells why.
void next_backend(Scene&);

/// A backend's name for the screen: the CPU's description is translated, a card's name stays.
std::string backend_words(const std::string& name);
/// A sentence that tells why another backend than the chosen one computes; empty if the chosen one does.
std::string backend_note(const Scene&);
/// "0.84 ms", "12.1 s"; "–" if not known.
std::string time_words(const WholeTimes*);
std::string time_words(double milliseconds);
/// "7.6×"
std::string ratio_words(double ratio);

/// The width of the card with the milliseconds, in device pixels.
float timings_width(const Scene&);

}  // namespace attnscope
