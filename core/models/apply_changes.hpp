// core/models: a model's changes at the places where they act: the attention problem of a block, and what a
// sweep over it gave.
#pragma once

#include <cstdint>
#include <span>

#include "core/models/changes.hpp"
#include "core/streaming/problem.hpp"
#include "core/streaming/sweep.hpp"

namespace attnscope {

/// Attention of one block, as it is being computed.
struct ChangedAttention {
  const ModelChanges& changes;
  AttentionOf of;
  std::size_t block;
  std::span<const std::uint8_t> mask;  // of the rows (Mean leaves hidden ones out); empty = none is hidden
  /// Whether any head has another pattern than its own.
  bool patterns() const;
};

/// Scale, mask and temperature.
void change_problem(const ModelChanges&, AttentionOf, std::size_t block, AttentionProblem&);

/// Outputs of the sweep's heads in place; where patterns are changed, entropy and what else is there of
/// attention received and pictures as well. `problem` must be the one that was swept. Throws Error when a
/// matrix that a change brings has too few rows or keys for the text, or Cancelled.
void change_heads(const ChangedAttention&, const AttentionProblem& problem, Sweep&, const Work&);

/// Row i (a query of the problem) of the pattern that a change gives; [keys] in, filled. Throws Error as
/// above.
void fill_pattern_row(const HeadChange&, const AttentionProblem&, std::int64_t i, std::span<float> row);

}  // namespace attnscope
