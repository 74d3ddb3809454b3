#include "app/pages/lessons/parts/curve_sketch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "app/lessons/training_numbers.hpp"
#include "core/base/error.hpp"

namespace attnscope {
namespace {

using training::LabPoint;

std::size_t column_of(float x) {
  const float last = static_cast<float>(sketch_columns - 1);
  return static_cast<std::size_t>(std::lround(std::clamp(x, 0.f, 1.f) * last));
}

double largest_in(const std::vector<double>& all) {
  return all.empty() ? std::numeric_limits<double>::quiet_NaN() : std::ranges::max(all);
}

/// The measure at one point; NaN if it does not have it.
double measured_at_point(const training::TaskRow& task, const LabPoint& point, std::string_view measure) {
  const training::Metrics& metrics = point.metrics;
  const training::GroupResult& goal = metrics.groups[static_cast<std::size_t>(task.goal_group)];
  if (measure == "loss") return goal.loss;
  if (measure == "accuracy") return goal.accuracy;
  if (measure == "entropy")
    return std::accumulate(metrics.entropy.begin(), metrics.entropy.end(), 0.0) /
           static_cast<double>(metrics.entropy.size());
  if (measure == "gradient" && metrics.step > 0 && !metrics.gradients.empty())
    return metrics.gradients.back().output;
  for (std::size_t i = 0; i < task.scores.size(); ++i)
    if (task.scores[i].name == measure) return largest_in(metrics.scores[i]);
  return std::numeric_limits<double>::quiet_NaN();
}

/// The largest cost of ablating a head, the same number as in a lesson's prose.
double largest_cost_at(const training::ShownLab& lab, const training::LabRun& run, std::int64_t step) {
  const lessons::LookUp look_up = lessons::look_up_in_training(lab);
  const training::NetworkSpec& network = lab.recipe->network;
  double largest = std::numeric_limits<double>::quiet_NaN();
  try {
    for (int head = 0; head < network.layers * network.heads; ++head) {
      const double arguments[] = {static_cast<double>(head), static_cast<double>(step)};
      largest = std::fmax(largest, look_up(run.parent >= 0 ? "branch.cost" : "cost", arguments));
    }
  } catch (const Error&) {  // with that many heads it is not measured
  }
  return largest;
}

}  // namespace

void draw_into(std::vector<float>& sketch, SketchPoint from, SketchPoint to) {
  if (sketch.size() != sketch_columns) sketch.assign(sketch_columns, -1);
  const std::size_t a = column_of(from.x), b = column_of(to.x);
  const float low = std::clamp(from.y, 0.f, 1.f), high = std::clamp(to.y, 0.f, 1.f);
  for (std::size_t i = std::min(a, b); i <= std::max(a, b); ++i) {
    const float whole = static_cast<float>(std::max(a, b) - std::min(a, b));
    const float done = static_cast<float>(i > a ? i - a : a - i);
    sketch[i] = whole > 0 ? low + (high - low) * done / whole : high;
  }
}

float sketch_at(const std::vector<float>& sketch, float x) {
  const auto at = static_cast<std::ptrdiff_t>(column_of(x)), count = std::ssize(sketch);
  for (std::ptrdiff_t away = 0; away < count; ++away)
    for (const std::ptrdiff_t i : {at - away, at + away})
      if (i >= 0 && i < count && sketch[static_cast<std::size_t>(i)] >= 0)
        return sketch[static_cast<std::size_t>(i)];
  return 0;
}

MeasuredCurve measured_curve(const training::ShownLab& lab, const training::LabRun& run,
                             std::string_view measure) {
  MeasuredCurve curve;
  if (lab.task == nullptr || !lab.recipe) return curve;
  const auto add = [&](const LabPoint& point) {
    const double value = measure == "cost" ? largest_cost_at(lab, run, point.metrics.step)
                                           : measured_at_point(*lab.task, point, measure);
    if (std::isfinite(value)) curve.points.push_back({static_cast<double>(point.metrics.step), value});
  };
  for (const auto& point : run.points) add(*point);
  if (measure == "loss") {
    const training::TaskRow& task = *lab.task;
    const auto goal = static_cast<std::size_t>(task.goal_group);
    const auto read_out = static_cast<std::size_t>(task.groups[goal].read_out);
    curve.high = 1.1 * std::log(std::max(2, lab.recipe->network.read_outs[read_out].classes));
  } else if (measure == "gradient") {
    curve.high = 0.01;
    for (const MeasuredCurve::Point& point : curve.points)
      curve.high = std::max(curve.high, 1.1 * point.value);
  }
  return curve;
}

double sketch_distance(const std::vector<float>& sketch, const MeasuredCurve& curve, double from,
                       double last) {
  double sum = 0, count = 0;
  for (const MeasuredCurve::Point& point : curve.points) {
    if (point.step < from || point.step > last) continue;
    const double share = std::clamp((point.value - curve.low) / (curve.high - curve.low), 0.0, 1.0);
    sum += std::abs(static_cast<double>(sketch_at(sketch, static_cast<float>(point.step / last))) - share);
    ++count;
  }
  return count > 0 ? sum / count : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace attnscope
