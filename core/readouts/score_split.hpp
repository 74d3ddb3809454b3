// core/readouts: "why did it look there?": one score of a head, q·k times its scale, as a table: a cell for
// each part of the query's stream with each part of the key's.
#pragma once

#include <cstdint>
#include <vector>

#include "core/readouts/stream.hpp"

namespace attnscope {

struct ScoreQuestion {
  AttentionOf of = AttentionOf::Decoder;  // not Cross
  std::size_t block = 0;
  std::int64_t head = 0, query = 0, key = 0;
  /// Minus the mean over the keys that the query may see: a share common to all keys changes no weight.
  bool over_mean = false;
  bool operator==(const ScoreQuestion&) const = default;
};

/// The score before soft-cap, position bias, mask and temperature. Exact: norms (also those of queries and
/// keys, if the model has them) keep their scales of these rows, and rotary positions rotate every part
/// alike.
struct ScoreSplit {
  std::vector<StreamPart> query_parts, key_parts;
  TensorOf<double> cells;    // [query parts][key parts]; their sum is the score
  double score = 0;          // from the run's queries and keys; with over_mean minus the mean of the row
  double raw = 0, mean = 0;  // the score itself, and the mean over the keys that the query may see,
  std::int64_t allowed = 0;  // whose number this is
  double scale = 1;          // multiplies q·k
  bool rotated = false;      // queries and keys are rotated before it
  double query_norm = 1, key_norm = 1;  // 1 / √(… + ε) of the block's norm in the two rows
};

/// Throws Error if the model, block, head, query or key does not exist, if the query may not see the key, or
/// if the stream is not a sum (check_is_sum()); or Cancelled.
ScoreSplit split_score(const Model&, const ModelRun&, const ScoreQuestion&, const Work&);

}  // namespace attnscope
