// core/streaming: the exact numbers of a rectangle of one head, made when they are looked at.
#pragma once

#include <cstdint>

#include "core/streaming/sweep.hpp"

namespace attnscope {

/// What the cells of a tile hold: weights, or scores after scale, cap, biases and mask (hidden = -inf), or
/// the scaled products alone.
enum class TileKind { Weights, Masked, Scaled };

struct TileRequest {
  std::int64_t head = 0;
  RowRange rows = {};
  std::int64_t first_key = 0, last_key = -1;  // [first, last); -1 = all
  TileKind kind = TileKind::Weights;
  bool operator==(const TileRequest&) const = default;
};

/// [rows][keys] of the rectangle. Weights are e^(score - log-sum-exp) with the log-sum-exp of `known` where
/// it has the head and the rows and is not rounded; otherwise, and with null, those rows are swept first.
/// Exactly 0 where a key is hidden; tiny weights come out down to the smallest float. Throws Error or
/// Cancelled as sweep().
Tensor tile(const AttentionProblem&, const TileRequest&, const Sweep* known, const Work&,
            const streaming::Kernels* kernels = nullptr);

/// Weights of a rectangle in cells of several, counted from its first row and key: over those that exist,
/// [ceil(rows / rows_per_cell)][ceil(keys / keys_per_cell)]. Hidden keys count as 0; a cell with a NaN is
/// NaN.
struct PooledTile {
  Tensor mean, max;
};

/// tile() of weights, pooled as it is made. Throws Error, also when the request is not of weights, or
/// Cancelled.
PooledTile pooled_tile(const AttentionProblem&, const TileRequest&, const PooledCells&, const Sweep* known,
                       const Work&, const streaming::Kernels* kernels = nullptr);

}  // namespace attnscope
