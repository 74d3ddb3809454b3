// app/views: a colour bar that can be held by its ends: the ramp as an axis, the handles at its ends, the
// value under the mouse and the choice of the range. Short and long maps have it.
#pragma once

#include <string>

#include "app/scene/picture.hpp"
#include "core/analysis/histogram.hpp"

namespace attnscope {

/// The bar and the axis it stands for: the ends of the scale, or, while one of these is dragged, what they
/// were.
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

/// The bar of a scale where the ramp is; its axis stays while an end is held.
Bar planned_bar(Scene&, const Box& ramp, const ColourScale&);
/// A value as it is written at an end of the bar.
std::string end_text(const Bar&, float value);
/// The handles, which lock the range where they are dragged to (a double click goes back to all heads), and
/// the value under the mouse, shown above the bar.
void take_bar_mouse(Scene&, const Bar&);
/// How the values are spread along the axis, above the ramp.
inline constexpr int bar_bins = 48;
void draw_spread(const Ui&, const Bar&, const Histogram&);
/// Triangles beyond the ends that cut values off.
void draw_clipped(const Ui&, const Bar&, const Histogram&);
/// From x on, beside the bar, as far as there is room: Head, Mean, All or Lock, and the share that is cut off
/// at the ends of the scale.
void draw_range(Scene&, const Box& area, const Bar&, float x, const Histogram& at_ends);

}  // namespace attnscope
