// core/streaming: what may be asked of a sweep or a tile, whoever computes it.
#pragma once

#include "core/streaming/tile.hpp"

namespace attnscope::streaming {

/// The wish with its open ends filled in. Throws Error with a sentence where the problem is none or the wish
/// does not fit it.
SweepWish checked(const AttentionProblem&, SweepWish wish);
TileWish checked(const AttentionProblem&, TileWish wish);
/// Throws Error unless weights are asked for, in cells that there are.
void check_pooled(const TileWish&, const PooledCells&);

}  // namespace attnscope::streaming
