// core/models: applies a model's changes to the attention problem of a block, and to the result of a sweep
// over it.
#pragma once

#include <cstdint>
#include <span>

#include "core/models/changes.hpp"
#include "core/streaming/problem.hpp"
#include "core/streaming/sweep.hpp"

namespace attnscope {

struct StagedAttention;  // core/models/staged_attention.hpp

/// The attention of one block during its computation.
struct ChangedAttention {
  const ModelChanges& changes;
  AttentionOf of;
  std::size_t block;
  std::span<const std::uint8_t> mask;  // of the rows (Mean leaves hidden ones out); empty = none is hidden
  const StagedAttention* staged = nullptr;  // of a block whose settings are not swept
  /// Whether any head's pattern is changed.
  bool patterns() const;
};

/// Applies changes of scale, mask and temperature.
void change_problem(const ModelChanges&, AttentionOf, std::size_t block, AttentionProblem&);

/// Changes the outputs of the sweep's heads in place; for heads with a changed pattern also the entropy, the
/// attention received and the pictures, if the sweep has them. `problem` must be the one that was swept.
/// Throws Error if a matrix of a change has too few rows or keys for the text, or Cancelled.
void change_heads(const ChangedAttention&, const AttentionProblem& problem, Sweep&, const Work&);

/// Row i (a query of the problem) of the changed pattern. `row` holds [keys] and is filled. Throws Error as
/// change_heads().
void fill_pattern_row(const HeadChange&, const AttentionProblem&, std::int64_t i, std::span<float> row);

}  // namespace attnscope
