// core/engine: one query's row of cells in every stage that it passes. Views read the same CellRow of a
// result that keeps its planes and of a long one, whose row is computed from Q and K when it is looked at.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "core/analysis/measures.hpp"
#include "core/base/parallel.hpp"
#include "core/engine/result.hpp"

namespace attnscope {

/// The numbers belong to the result or to `owner`. Stages as in Stage: `own` are the head's own weights,
/// `weights` those that count, `mixed` those after dropout.
struct CellRow {
  std::span<const float> score, scaled, capped, bias, masked;  // [keys]; bias may be empty
  std::span<const float> softmax, own, weights, mixed;         // [keys]
  /// The keys by weight_rank(), the largest first; only of a computed row, whose worker has sorted them.
  std::span<const std::int32_t> by_weight;
  RowMeasures measures;
  bool is_computed = false;  // no plane has it
  std::shared_ptr<const void> owner;
};

/// What lists sort keys by: the weight, NaN above all and below all what is hidden.
double weight_rank(const CellRow&, std::int64_t key);

/// The row of a result that keeps its planes.
CellRow row_of_planes(const LayerResult&, std::int64_t b, std::int64_t h, std::int64_t query);

/// The row of a long result: O(keys · d_k). Throws Error or Cancelled.
CellRow computed_row(const LayerResult&, std::int64_t b, std::int64_t h, std::int64_t query, const Work&);

}  // namespace attnscope
