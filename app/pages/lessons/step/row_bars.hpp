// app/pages/lessons/step: the bars of a lesson's chosen row: a weight for each key, and beside it that of the
// same key in B.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/lessons/lesson.hpp"
#include "app/pages/lessons/parts/held_cell.hpp"

namespace attnscope {

struct RowBar {
  std::string key;  // its name
  std::int64_t shown_key = -1;
  std::optional<double> shown, held;  // empty if that side does not have the key
};
struct RowBars {
  std::vector<RowBar> bars;
  HeldPlace held_row;  // the row of the held weights; nowhere: none
};

/// The bars of a row of A in the first sequence, one for each key. With `held`, which may be null, and if B
/// has the row, also B's weights of the same tokens; keys that only one side has get bars of their own.
/// Weights are those of lesson_weights().
RowBars lesson_row_bars(const lessons::Lesson&, const lessons::Step&, const LayerResult& shown,
                        const LayerResult* held, std::int64_t head, std::int64_t row);

}  // namespace attnscope
