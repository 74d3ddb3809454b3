// app/kit/widgets: round buttons for moving through steps: one back, play or pause, one on.
#pragma once

#include <cstdint>

#include "app/kit/widgets/widgets.hpp"

namespace attnscope {

struct TransportButton {
  const char* label;
  Tip tip;
};
struct Transport {
  TransportButton back, play, forward;
  bool playing = false;
};
enum class TransportPress : std::uint8_t { None, Back, Play, Forward };

/// Draws the buttons from the left end of the bar, centred in its height.
TransportPress draw_transport_buttons(const Ui&, const Box& bar, const Transport&);
/// The width that they take.
float transport_width(const Ui&);

/// The knob of a scrubber: with a glow while it is pointed at, a ring while it has the keyboard.
void draw_scrub_knob(const Ui&, ImVec2 centre, const Ui::Touch&);

}  // namespace attnscope
