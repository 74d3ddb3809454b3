// app/pages/lessons/parts: a curve drawn by hand on empty axes, and its distance to the measured one. Does
// not draw.
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "core/training/lab/lab.hpp"

namespace attnscope {

/// Columns of a sketch: each is a height from 0 to 1, as a share of the axis; below 0: not drawn there.
inline constexpr std::size_t sketch_columns = 128;

/// The mouse moved from one point to another, in shares of the axes from the left and from below: all columns
/// between get new heights. Makes an empty sketch if there was none.
struct SketchPoint {
  float x = 0, y = 0;
};
void draw_into(std::vector<float>& sketch, SketchPoint from, SketchPoint to);

/// The height at a share of the width; beyond its ends, and in gaps, that of the nearest column that was
/// drawn. The sketch is not empty.
float sketch_at(const std::vector<float>& sketch, float x);

/// A run's measure as one curve: loss and accuracy of the task's goal, the mean entropy of the heads, the
/// largest score or cost of ablation of the heads, the gradient of the output. Points by step, without NaN.
struct MeasuredCurve {
  struct Point {
    double step = 0, value = 0;
  };
  std::vector<Point> points;
  double low = 0, high = 1;  // ends of the axis: set by the measure; only for gradients by the curve
};
/// A measure that the task does not have gives no points.
MeasuredCurve measured_curve(const training::ShownLab&, const training::LabRun&, std::string_view measure);

/// Mean distance of the sketch to the points from step `from` on, as a share of the axis' height. The axis of
/// steps goes from 0 to `last`. The sketch is not empty; NaN without points.
double sketch_distance(const std::vector<float>& sketch, const MeasuredCurve&, double from, double last);

}  // namespace attnscope
