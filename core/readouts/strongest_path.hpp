// core/readouts: the heads behind a score, step by step: which earlier head contributed most to the query,
// which to the key, and which head contributed most to the scores of these. Greedy: only the largest at each
// step, so the result is a path, not the sum over all.
#pragma once

#include <cstdint>
#include <vector>

#include "core/readouts/score_split.hpp"

namespace attnscope {

/// A head on the path, and its cell.
struct PathHead {
  int block = 0;
  std::int64_t head = 0;
  std::int64_t query = 0;
  std::int64_t key =
      0;  // in the first entry the key asked for; else the key with the largest ‖α·v·W_O‖ of the row
  double weight = 0;           // α of the cell
  double score = 0;            // of the cell, minus the mean of its row if that was asked for; NaN: not split
  int into = -1;               // index of the head whose score it adds to; -1 in the first entry
  bool through_query = false;  // true: it adds to that head's query; false: to its key
  double adds = 0;             // its part of that score, summed over all parts of the other side
};

/// First the head of `asked`, then at most one through its query and one through its key, each followed by
/// the head that adds most to it, unless its own score cannot be split (see split_score()). Only heads that
/// add more than 0 are included; cross-attention is not followed. `split`: the split_score() of `asked`.
/// Throws Error if a frozen pattern is too small, or Cancelled.
std::vector<PathHead> strongest_path(const Model&, const ModelRun&, const ScoreQuestion& asked,
                                     const ScoreSplit& split, const Work&);

}  // namespace attnscope
