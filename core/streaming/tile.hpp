// core/streaming: the exact numbers of a rectangle of one head, computed on demand.
#pragma once

#include <cstdint>

#include "core/streaming/sweep.hpp"

namespace attnscope {

/// The contents of a tile: weights, scores after scale, cap, biases and mask (hidden = -inf), or only the
/// scaled products.
enum class TileKind { Weights, Masked, Scaled };

struct TileRequest {
  std::int64_t head = 0;
  RowRange rows = {};
  std::int64_t first_key = 0, last_key = -1;  // [first, last); -1 = all
  TileKind kind = TileKind::Weights;
  bool operator==(const TileRequest&) const = default;
};

/// [rows][keys] of the rectangle. Weights are e^(score - log-sum-exp) with the log-sum-exp of `known` if it
/// has the head and the rows and is not rounded; otherwise, and if it is null, those rows are swept first.
/// Hidden keys are exactly 0; tiny weights are computed down to the smallest float. Throws Error or
/// Cancelled as sweep().
Tensor tile(const AttentionProblem&, const TileRequest&, const Sweep* known, const Work&,
            const streaming::Kernels* kernels = nullptr);

/// Weights of a rectangle, pooled into cells that are counted from its first row and key: mean and largest
/// over existing weights, [ceil(rows / rows_per_cell)][ceil(keys / keys_per_cell)]. Hidden keys count as 0; a
/// cell with a NaN is NaN.
struct PooledTile {
  Tensor mean, max;
};

/// tile() of weights, pooled during computation. Throws Error, also if the request is not for weights, or
/// Cancelled.
PooledTile pooled_tile(const AttentionProblem&, const TileRequest&, const PooledCells&, const Sweep* known,
                       const Work&, const streaming::Kernels* kernels = nullptr);

}  // namespace attnscope
