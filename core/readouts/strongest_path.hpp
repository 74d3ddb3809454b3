// core/readouts: the heads behind a score, one step after the other: which earlier head put most into the
// query, which into the key, and which head put most into the scores of those. Greedy: at each step the
// largest one, so it is a path and not the sum of all.
#pragma once

#include <cstdint>
#include <vector>

#include "core/readouts/score_split.hpp"

namespace attnscope {

/// A head on the path, and the cell that is looked at there.
struct PathHead {
  int block = 0;
  std::int64_t head = 0;
  std::int64_t query = 0;
  std::int64_t key =
      0;  // of the first the one that was asked for; else where ‖α·v·W_O‖ of the row is largest
  double weight = 0;  // α of that cell
  double score = 0;   // of that cell, over the mean of its row where that was asked for; NaN: not split
  int into = -1;      // the place in the list of the head whose score it adds to; of the first −1
  bool through_query = false;  // what it wrote went into that head's query, else into its key
  double adds = 0;             // to that score, over all of the other side
};

/// The head that was asked for comes first, then at most one through its query and one through its key, each
/// followed by the head that adds most to it. Heads that add nothing above 0 are left out; attention to an
/// encoder is not followed. `split`: what split_score() gave for `asked`. Throws Error as split_score(), or
/// Cancelled.
std::vector<PathHead> strongest_path(const Model&, const ModelRun&, const ScoreQuestion& asked,
                                     const ScoreSplit& split, const Work&);

}  // namespace attnscope
