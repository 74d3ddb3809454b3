// app/views: a colour bar whose ends can be dragged: the ramp as an axis, the handles at its ends, the value
// under the mouse and the choice of the range. Short and long maps use it.
#pragma once

#include <string>

#include "app/scene/picture.hpp"
#include "core/analysis/histogram.hpp"

namespace attnscope {

/// The ramp and its axis, which runs between the ends of the scale; while an end is dragged, between the ends
/// at the start of the drag.
struct Bar {
  Box ramp;
  ColourScale scale;
  float from, to;

  float share(float value) const {
    return scale.log ? std::log(std::max(value, 1e-38f) / from) / std::log(to / from)
                     : (value - from) / (to - from);
  }
  float x(float value) const { return ramp.x + ramp.w * std::clamp(share(value), 0.f, 1.f); }
  float value_at(float pixel) const {
    const float at = (pixel - ramp.x) / ramp.w;
    return scale.log ? from * std::pow(to / from, at) : from + (to - from) * at;
  }
};

/// The bar of a scale over `ramp`; its axis does not change while an end is dragged.
Bar planned_bar(Scene&, const Box& ramp, const ColourScale&);
/// The text of a value at an end of the bar.
std::string end_text(const Bar&, float value);
/// Draws the handles and the value under the mouse above the bar. Dragging a handle locks the range at the
/// new end; a double click restores the range of all heads.
void take_bar_mouse(Scene&, const Bar&);
/// The histogram of the values along the axis, above the ramp.
inline constexpr int bar_bins = 48;
void draw_spread(const Ui&, const Bar&, const Histogram&);
/// A triangle beyond each end that cuts values off.
void draw_clipped(const Ui&, const Bar&, const Histogram&);
/// Right of the bar, from x on, if there is room: the choice Head, Mean, All or Lock, and the share of values
/// cut off at the ends of the scale (`at_ends`). Draws draw_clipped() too.
void draw_range(Scene&, const Box& area, const Bar&, float x, const Histogram& at_ends);

}  // namespace attnscope
