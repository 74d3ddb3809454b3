// core/watch: a part of a watched layer as a problem of the streaming engine. For .cpp files of this room
// only.
#pragma once

#include <cstdint>
#include <vector>

#include "core/streaming/problem.hpp"
#include "core/watch/watched_layer.hpp"

namespace attnscope {

/// Rows [begin, end) of heads [first_head, last_head) of one sequence.
struct WatchedPart {
  std::int64_t batch = 0, first_head = 0, last_head = 0, begin = 0, end = 0;
  std::int64_t rows() const { return end - begin; }
  std::int64_t heads() const { return last_head - first_head; }
};

/// Points into the layer, which must outlive it. Moving it keeps the problem valid, so it cannot be copied.
struct WatchedProblem {
  AttentionProblem problem;
  std::vector<float> additive, sinks;

  WatchedProblem() = default;
  WatchedProblem(WatchedProblem&&) = default;
  WatchedProblem& operator=(WatchedProblem&&) = default;
};

/// `part` lies in the layer and has a row; its heads share a key head each as in the layer, so that they are
/// all of them, or those of one key head. Cells of a mask are made where the rule is more than causal or a
/// window.
WatchedProblem watched_problem(const WatchedLayer&, const WatchedPart& part);

/// Whether watched_problem() makes a number for every cell of these rows, and for how many heads; 0: it makes
/// none.
std::int64_t heads_with_cells(const WatchedLayer&, const WatchedPart& part);

/// What is added to the scores of the rows, of one head or of all: mask, bias, and -inf for keys that the row
/// may not see. [heads_with_cells()][rows][keys] into `to`, which has room for them.
void write_cells(const WatchedLayer&, const WatchedPart& part, std::int64_t heads, float* to);

}  // namespace attnscope
