// app/widgets: the small plots of the signals region: nice ticks, hairlines, a title line. No frame, no
// legend box.
#pragma once

#include <string>
#include <vector>

#include "app/ui.hpp"

namespace attnscope {

/// 1, 2 or 5 times a power of ten, so that `span` takes about `count` steps.
double nice_step(double span, int count);

/// A plot area with linear axes.
struct Axes {
  Box area;  // of the data
  double x0 = 0, x1 = 1, y0 = 0, y1 = 1;

  float x(double value) const { return area.x + static_cast<float>((value - x0) / (x1 - x0)) * area.w; }
  float y(double value) const {
    return area.bottom() - static_cast<float>((value - y0) / (y1 - y0)) * area.h;
  }
};

/// Title and unit on one line. Returns the y below it.
float plot_title(const Ui&, const Box&, std::string_view title, std::string_view unit);
/// Horizontal hairlines with their values at the left of the area.
void draw_y_axis(const Ui&, const Axes&, int ticks);
/// Values under the area, at multiples of a nice step.
void draw_x_axis(const Ui&, const Axes&, int ticks);
/// A polyline through (x, y); points that are not finite break it.
void draw_curve(const Ui&, const Axes&, const std::vector<ImVec2>& points, Rgba, float thickness);
/// 3 px on, 3 px off.
void draw_dashes(const Ui&, const std::vector<ImVec2>& pixels, Rgba, float thickness);
/// A value in a small raised tag beside a point.
void draw_value_tag(const Ui&, const Axes&, ImVec2 point, std::string_view text);

}  // namespace attnscope
