// core/watch: a part of a watched layer as a problem of the streaming engine. Only .cpp files of this room
// include it.
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

/// Points into the layer, which must outlive it. Moving keeps the problem valid; copying is disabled.
struct WatchedProblem {
  AttentionProblem problem;
  std::vector<float> additive, sinks;

  WatchedProblem() = default;
  WatchedProblem(WatchedProblem&&) = default;
  WatchedProblem& operator=(WatchedProblem&&) = default;
};

/// `part` lies in the layer and has at least one row; its heads are all heads, or those of one key head. The
/// problem has cells of a mask only if the rule is more than causal or a window.
WatchedProblem watched_problem(const WatchedLayer&, const WatchedPart& part);

/// For how many heads watched_problem() makes a number for every cell of these rows; 0: it makes none.
std::int64_t heads_with_cells(const WatchedLayer&, const WatchedPart& part);

/// Writes the numbers that are added to the scores of the rows, for one head or for all: mask, bias, and -inf
/// for keys that the row may not see. `to` has room for [heads_with_cells()][rows][keys].
void write_cells(const WatchedLayer&, const WatchedPart& part, std::int64_t heads, float* to);

}  // namespace attnscope
