// app/kit/widgets: the small plots of the signals region and of Compare: nice ticks, hairlines, a title line,
// series labelled at their right end, a value tag for the hover, zoom by wheel. No frame, no legend box.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "app/kit/ui/ui.hpp"
#include "app/kit/widgets/zoom.hpp"

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
  /// The values at a place on the screen.
  double x_at(float pixel) const { return x0 + (x1 - x0) * static_cast<double>((pixel - area.x) / area.w); }
  double y_at(float pixel) const {
    return y0 + (y1 - y0) * static_cast<double>((area.bottom() - pixel) / area.h);
  }
};

/// Title and unit on one line. Returns the y below it.
float plot_title(const Ui&, const Box&, std::string_view title, std::string_view unit);
/// Horizontal hairlines with their values at the left of the area.
void draw_y_axis(const Ui&, const Axes&, int ticks);
/// Values under the area, at multiples of a nice step.
void draw_x_axis(const Ui&, const Axes&, int ticks);
/// A polyline through (x, y), x ascending; points that are not finite break it. Where several points share a
/// pixel column their lowest and highest are drawn: no peak is lost and long texts stay quick.
void draw_curve(const Ui&, const Axes&, const std::vector<ImVec2>& points, Rgba, float thickness);
/// The same, dashed: for the held side of a comparison, so that colour is not its only mark.
void draw_dashed_curve(const Ui&, const Axes&, const std::vector<ImVec2>& points, Rgba, float thickness);
/// Fills between two curves whose points share their x: one colour where the first is above the second,
/// another where it is below.
struct FillColours {
  Rgba above, below;
};
void fill_between(const Ui&, const Axes&, std::span<const ImVec2> a, std::span<const ImVec2> b, FillColours);
/// 3 px on, 3 px off.
void draw_dashes(const Ui&, const std::vector<ImVec2>& pixels, Rgba, float thickness);

/// Names under the area, one for each whole x from 0 on, thinned so that none overlap; the marked one is
/// always drawn. `label` is called only if there is room.
struct LabelAxis {
  std::int64_t count = 0, marked = -1;  // -1: none is marked
  Rgba colour = 0;                      // of the marked one
  std::function<std::string(std::int64_t)> label;
};
void draw_label_axis(const Ui&, const Axes&, const LabelAxis&);

/// The name of a series at its right end.
struct EndLabel {
  float y = 0;  // of the end, device pixels
  std::string text;
  Rgba colour = 0;
  Ink ink = Ink::Regular;
};
/// The column for the names: from `x` on between `top` and `bottom`. Earlier names are placed first, each as
/// near to its end as those before it allow; one that would be farther away than `reach` is left out.
struct LabelColumn {
  float x, top, bottom;
  float reach = INFINITY;
};
void draw_end_labels(const Ui&, const LabelColumn&, std::span<const EndLabel>);

/// The wheel over the touched area zooms the x axis around the mouse, dragging moves it, a double click shows
/// all of it. Call right after the touch. `least`: the narrowest range.
void zoom_by_mouse(const Ui::Touch&, const Box& area, ZoomRange&, float least);

/// A value in a small raised tag beside a point.
void draw_value_tag(const Ui&, const Axes&, ImVec2 point, std::string_view text);

}  // namespace attnscope
