// tests/app: a robot with a text too long to keep its weights.
#pragma once

#include <cmath>
#include <random>
#include <string>

#include "robot/layout.hpp"
#include "robot/robot.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::test {

inline constexpr std::int64_t tokens = 2111;  // eight heads of this many squared are more than can be kept

/// "w12 w7 …": repeated words, for the heads that look for the same word.
inline std::string long_text() {
  std::mt19937 random(3);
  std::string text;
  for (std::int64_t i = 0; i < tokens; ++i) text += (i == 0 ? "w" : " w") + std::to_string(random() % 200);
  return text;
}

struct LongRobot {
  TemporaryDirectory directory;
  Robot robot;
  explicit LongRobot(int width = 1600, int height = 1000, float scale = 1)
      : robot({.width = width, .height = height, .scale = scale}) {
    robot.app().files().opening.open(directory.write("long.txt", long_text()));
    robot.settle();
  }
  const LayerResult& result() { return robot.app().shown()->layer(); }
  const Survey& survey() { return *result().surveys.front(); }
  /// The weight by the staged formula in double, from the survey's Q and K.
  double naive_weight(std::int64_t h, Cell cell) {
    const AttentionProblem& p = survey().problem();
    const auto score = [&](std::int64_t j) {
      double sum = 0;
      for (std::int64_t c = 0; c < p.d_k; ++c)
        sum += static_cast<double>(p.query.row(h, cell.query)[c]) * static_cast<double>(p.key.row(h, j)[c]);
      return sum * p.scale;
    };
    double total = 0;
    for (std::int64_t j = 0; j < p.keys; ++j)
      if (!p.causal || j <= cell.query) total += std::exp(score(j) - score(cell.key));
    return p.causal && cell.key > cell.query ? 0 : 1 / total;
  }
};

}  // namespace attnscope::test
