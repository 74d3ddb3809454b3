#include "app/training/phase_change.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace attnscope {
namespace {

struct At {
  std::int64_t step;
  double accuracy;
};

/// One at each step; of two the last, which is of the run itself where it branched.
std::vector<At> curve_of(const training::TaskRow& task, const training::LabRun& run) {
  const auto goal = static_cast<std::size_t>(task.goal_group);
  std::vector<At> curve;
  for (const auto& point : run.points) {
    if (!curve.empty() && curve.back().step == point->metrics.step) curve.pop_back();
    curve.push_back({point->metrics.step, point->metrics.groups[goal].accuracy});
  }
  return curve;
}

}  // namespace

std::optional<PhaseChange> phase_change(const training::TaskRow& task, const training::LabRun& run,
                                        std::int64_t axis) {
  const std::vector<At> curve = curve_of(task, run);
  if (curve.size() < 4) return std::nullopt;
  const double first = curve.front().accuracy,
               rise = std::ranges::max(curve, {}, &At::accuracy).accuracy - first;
  if (rise < least_rise) return std::nullopt;
  std::optional<PhaseChange> best;
  std::size_t begins = 0;
  for (std::size_t i = 0; i < curve.size(); ++i) {
    const auto end = std::find_if(curve.begin() + static_cast<std::ptrdiff_t>(i), curve.end(),
                                  [&](const At& at) { return at.accuracy - curve[i].accuracy >= rise / 2; });
    if (end == curve.end()) continue;
    const PhaseChange found{curve[i].step, end->step, curve[i].accuracy, end->accuracy};
    const auto steps = [](const PhaseChange& of) { return of.to - of.from; };
    if (best && (steps(found) > steps(*best) ||
                 (steps(found) == steps(*best) && found.after - found.before <= best->after - best->before)))
      continue;
    best = found;
    begins = i;
  }
  constexpr std::size_t least_plateau = 2;  // measurements before it
  if (!best || begins < least_plateau) return std::nullopt;
  const auto steps = static_cast<double>(best->to - best->from);
  if (steps > most_share * static_cast<double>(axis)) return std::nullopt;
  const double inside = (best->after - best->before) / steps,
               before = (best->before - first) / static_cast<double>(best->from - curve.front().step);
  return inside >= least_speed * before ? best : std::nullopt;
}

bool is_moving(const training::TaskRow& task, const training::LabRun& run) {
  if (run.points.size() < 2) return false;
  const training::Metrics &now = run.points.back()->metrics,
                          &before = run.points[run.points.size() - 2]->metrics;
  const auto differ = [](double a, double b) { return std::abs(a - b) >= least_move; };
  const auto goal = static_cast<std::size_t>(task.goal_group);
  if (differ(now.groups[goal].accuracy, before.groups[goal].accuracy)) return true;
  for (std::size_t s = 0; s < now.scores.size(); ++s)
    if (!std::ranges::equal(now.scores[s], before.scores[s],
                            [&](double a, double b) { return !differ(a, b); }))
      return true;
  return false;
}

}  // namespace attnscope
