// core/engine: one query's row of cells in every stage. Views read the same CellRow for a result that keeps
// its planes and for a long one, whose rows are computed from Q and K when they are shown.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "core/analysis/measures.hpp"
#include "core/base/parallel.hpp"
#include "core/engine/result.hpp"

namespace attnscope {

/// The numbers belong to the result or to `owner`. Members are stages: `own` are the head's own weights,
/// `weights` those after intervention, `mixed` those after dropout.
struct CellRow {
  std::span<const float> score, scaled, capped, bias, masked;  // [keys]; bias may be empty
  std::span<const float> softmax, own, weights, mixed;         // [keys]
  /// The keys by weight_rank(), the largest first; only for a computed row, sorted by the worker.
  std::span<const std::int32_t> by_weight;
  RowMeasures measures;
  bool is_computed = false;  // computed for this row, not read from planes
  std::shared_ptr<const void> owner;
};

/// The sort key of lists of keys: the weight; NaN ranks first, hidden keys last.
double weight_rank(const CellRow&, std::int64_t key);

/// The row of a result that keeps its planes.
CellRow row_of_planes(const LayerResult&, std::int64_t b, std::int64_t h, std::int64_t query);

/// The row of a long result: O(keys · d_k). Throws Error or Cancelled.
CellRow computed_row(const LayerResult&, std::int64_t b, std::int64_t h, std::int64_t query, const Work&);

}  // namespace attnscope
