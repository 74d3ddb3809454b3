// core/engine: a long sequence from coarse to fine. Its weights are never held at once: rows of queries are
// swept a few at a time, evenly spread, and every row that is known is exact. The first look takes a moment,
// the rest comes level by level.
#pragma once

#include <cstdint>
#include <memory>

#include "core/engine/backend.hpp"
#include "core/streaming/from_document.hpp"
#include "core/streaming/sweep.hpp"

namespace attnscope {

/// One sequence of a long Document as far as it is known. Immutable once published.
struct Survey {
  std::shared_ptr<const StreamedDocument> of;  // the sequence's Q, K, V and mask
  std::int64_t cell = 1;                       // queries and keys per cell of the pictures: a power of two
  Sweep known;  // every rows.step-th query of all heads; without output and received in the first look

  const AttentionProblem& problem() const { return of->problem; }
  bool is_complete() const { return known.rows.step == 1; }
  /// The known query at or before this one, and its place among the rows of `known`.
  std::int64_t row_of(std::int64_t query) const { return query / known.rows.step; }
  std::int64_t nearest(std::int64_t query) const { return row_of(query) * known.rows.step; }
};
using SurveyPtr = std::shared_ptr<const Survey>;

/// Pictures have at most so many cells to a side; those of the first look have half as many, so that it is
/// there sooner.
inline constexpr std::int64_t survey_side = 1024;

/// The least power of two with which neither side has more than `most` cells.
std::int64_t survey_cell(const AttentionProblem&, std::int64_t most = survey_side);

/// Every cell-th query of all heads: log-sum-exp, entropy, largest weight and its key, and the pictures; or
/// everything at once where the backend does that in a moment. Throws Error or Cancelled.
SurveyPtr first_look(StreamedDocument, Backend&, const std::stop_token&, SweepProgress*);

/// Twice as many queries as before, now with output and attention received. `so_far` must not be complete.
/// Throws Error or Cancelled.
SurveyPtr refined(const Survey& so_far, Backend&, const std::stop_token&, SweepProgress*);

/// Two sweeps of the same problem and heads as one: `even` has the rows 0, 2s, 4s …, `odd` the rows s, 3s …
/// of those that the merged one has.
Sweep interleaved(const Sweep& even, const Sweep& odd, std::int64_t queries);

}  // namespace attnscope
