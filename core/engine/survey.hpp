// core/engine: a long sequence from coarse to fine. Its weights are never held at once: evenly spaced rows of
// queries are swept, and every known row is exact. The first look is fast; refinements add the other rows
// level by level.
#pragma once

#include <cstdint>
#include <memory>

#include "core/engine/backend.hpp"
#include "core/engine/streamed_document.hpp"
#include "core/streaming/sweep.hpp"

namespace attnscope {

/// The known rows of one sequence of a long Document. Immutable once published.
struct Survey {
  std::shared_ptr<const StreamedDocument> of;  // the sequence's Q, K, V and mask
  std::int64_t cell = 1;                       // queries and keys per cell of the pictures: a power of two
  Sweep known;  // every rows.step-th query of all heads; without output and received in the first look

  const AttentionProblem& problem() const { return of->problem; }
  bool is_complete() const { return known.rows.step == 1; }
  /// The index among the rows of `known` of the known query at or before this one, and that query.
  std::int64_t row_of(std::int64_t query) const { return query / known.rows.step; }
  std::int64_t nearest(std::int64_t query) const { return row_of(query) * known.rows.step; }
};
using SurveyPtr = std::shared_ptr<const Survey>;

/// The most cells on a side of a picture; the first look has half as many, to be faster.
inline constexpr std::int64_t survey_side = 1024;

/// The least power of two for which no side has more than `most` cells.
std::int64_t survey_cell(const AttentionProblem&, std::int64_t most = survey_side);

/// Sweeps every cell-th query of all heads: log-sum-exp, entropy, largest weight and its key, and the
/// pictures; or all queries with all results if the backend is fast enough (see
/// Backend::pairs_in_a_moment()). Throws Error or Cancelled.
SurveyPtr first_look(StreamedDocument, Backend&, const std::stop_token&, SweepProgress*);

/// Twice as many queries as in `so_far`, with output and attention received. `so_far` must not be complete.
/// Throws Error or Cancelled.
SurveyPtr refined(const Survey& so_far, Backend&, const std::stop_token&, SweepProgress*);

/// Merges two sweeps of the same problem and heads: `even` has the queries 0, 2s, 4s …, `odd` the queries s,
/// 3s …, where s is the merged sweep's step.
Sweep interleaved(const Sweep& even, const Sweep& odd, std::int64_t queries);

}  // namespace attnscope
