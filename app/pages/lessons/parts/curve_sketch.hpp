// app/pages/lessons/parts: a curve that is drawn by hand on empty axes, and how far it is from the one that
// was measured. Knows no screen.
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "core/training/lab/lab.hpp"

namespace attnscope {

/// Columns that a sketch has: each one a height from 0 to 1 as a share of the axis; below 0: not drawn there.
inline constexpr std::size_t sketch_columns = 128;

/// The mouse went from one place to another, in shares of the axes from the left and from below: all columns
/// between are drawn anew. An empty sketch begins.
struct SketchPoint {
  float x = 0, y = 0;
};
void draw_into(std::vector<float>& sketch, SketchPoint from, SketchPoint to);

/// The height at a share of the width; beyond its ends, and in gaps, that of the nearest column that was
/// drawn. The sketch is not empty.
float sketch_at(const std::vector<float>& sketch, float x);

/// What one curve tells of a measure of a run: of the loss and the accuracy that of the task's goal, of
/// entropy the mean of the heads, of scores and of what muting costs the largest of the heads, of gradients
/// that of the output. Points by step; without those that are no numbers.
struct MeasuredCurve {
  struct Point {
    double step = 0, value = 0;
  };
  std::vector<Point> points;
  double low = 0, high = 1;  // of the axis: known of the measure, not of the curve, but for gradients
};
/// A measure that the task does not have gives no points.
MeasuredCurve measured_curve(const training::LabSight&, const training::LabRun&, std::string_view measure);

/// Mean distance of the sketch from the points from the step `from` on, as a share of the axis' height;
/// `last`: the step at which the axis ends, it begins at 0. The sketch is not empty; NaN where there are no
/// points.
double sketch_distance(const std::vector<float>& sketch, const MeasuredCurve&, double from, double last);

}  // namespace attnscope
