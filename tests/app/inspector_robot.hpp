// tests/app: what the tests of the inspector share: the chosen cell, its numbers by hand, its pixels.
#pragma once

#include <cmath>
#include <vector>

#include "app/controls_robot.hpp"
#include "app/state/regions/inspector_state.hpp"
#include "app/views/inspector/numbers.hpp"

namespace attnscope::test {

const RobotOptions usual{.width = 1600, .height = 1000};

inline CellPlace place_of(Robot& robot) {
  const Selection& s = robot.app().selection();
  const Dimensions& d = shown(robot).dimensions;
  return {s.sequence, s.head, s.head * d.kv_heads / d.heads, s.cell.query, s.cell.key};
}

inline const InspectorState& state(Robot& robot) { return inspector_of(robot.app().view()); }

/// q · k by hand, in double.
inline double score_of(const LayerResult& r, const CellPlace& at) {
  double sum = 0;
  for (std::int64_t d = 0; d < r.dimensions.d_k; ++d)
    sum += static_cast<double>(r.trace[Stage::RotateQuery]->matrix(at.b, at.h)(at.query, d)) *
           static_cast<double>(r.trace[Stage::RotateKey]->matrix(at.b, at.kv)(at.key, d));
  return sum;
}

inline bool near(double a, double b, double tolerance) { return std::abs(a - b) < tolerance; }

}  // namespace attnscope::test
