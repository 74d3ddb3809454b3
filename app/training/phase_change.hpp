// app/training: when a run learns its task all at once, and whether it is learning just now; by what was
// measured.
#pragma once

#include <cstdint>
#include <optional>

#include "core/training/lab/lab_run.hpp"

namespace attnscope {

/// Steps in which the accuracy of the goal's group rose at once, after a plateau.
struct PhaseChange {
  std::int64_t from = 0, to = 0;
  double before = 0, after = 0;  // accuracy at `from` and `to`
  bool operator==(const PhaseChange&) const = default;
};

/// The fewest steps in which accuracy made up half of all that it has risen. There is a phase change if it
/// has risen by least_rise, if these steps are at most most_share of `axis`, the steps of the whole run, and
/// if it rose at least least_speed times as fast in them as before. Nothing otherwise: then it learned
/// gradually.
std::optional<PhaseChange> phase_change(const training::TaskRow&, const training::LabRun&, std::int64_t axis);
inline constexpr double least_rise = 0.3, most_share = 0.1, least_speed = 4;

/// Whether accuracy or the score of a head differs by least_move from the measurement before the last.
bool is_moving(const training::TaskRow&, const training::LabRun&);
inline constexpr double least_move = 0.05;

}  // namespace attnscope
