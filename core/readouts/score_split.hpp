// core/readouts: "why did it look there?": one score of a head, q·k times its scale, as a table: which part
// of the query's stream met which part of the key's.
#pragma once

#include <cstdint>
#include <vector>

#include "core/readouts/stream.hpp"

namespace attnscope {

struct ScoreQuestion {
  AttentionOf of = AttentionOf::Decoder;  // not Cross
  std::size_t block = 0;
  std::int64_t head = 0, query = 0, key = 0;
  /// Less the mean over the keys that the query may see: what all keys share cannot move a weight.
  bool over_mean = false;
  bool operator==(const ScoreQuestion&) const = default;
};

/// The score before soft-cap, position bias, mask and temperature. Exact: norms (also those of queries and
/// keys, where a model has them) keep the scales that they have in these rows, and rotary positions turn
/// every part alike.
struct ScoreSplit {
  std::vector<StreamPart> query_parts, key_parts;
  TensorOf<double> cells;    // [query parts][key parts]; their sum is the score
  double score = 0;          // from the queries and keys of the run; over_mean: less the mean of the row
  double raw = 0, mean = 0;  // the score itself, and the mean over the keys that the query may see,
  std::int64_t allowed = 0;  // so many
  double scale = 1;          // what q·k is multiplied with
  double query_norm = 1, key_norm = 1;  // 1 / √(… + ε) of the block's norm in the two rows
};

/// Throws Error where the model, block, head, query or key does not exist, where the query may not see the
/// key, and where the stream is no sum (check_is_sum()); or Cancelled.
ScoreSplit split_score(const Model&, const ModelRun&, const ScoreQuestion&, const Work&);

}  // namespace attnscope
