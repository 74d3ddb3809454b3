// core/streaming: what may be asked of a sweep or a tile, of every engine that computes it.
#pragma once

#include "core/streaming/tile.hpp"

namespace attnscope::streaming {

/// The request with its open ends filled in. Throws Error with a sentence where the problem is none or the
/// request does not fit it.
SweepRequest checked(const AttentionProblem&, SweepRequest request);
TileRequest checked(const AttentionProblem&, TileRequest request);
/// Throws Error unless weights are asked for, in cells that there are.
void check_pooled(const TileRequest&, const PooledCells&);

}  // namespace attnscope::streaming
