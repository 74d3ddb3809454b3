// core/streaming: checks the requests of sweeps and tiles, for every engine.
#pragma once

#include "core/streaming/tile.hpp"

namespace attnscope::streaming {

/// The request with its open ends filled in. Throws Error if the problem is invalid or the request does not
/// fit it.
SweepRequest checked(const AttentionProblem&, SweepRequest request);
TileRequest checked(const AttentionProblem&, TileRequest request);
/// Throws Error unless the request is for weights and the cells are valid.
void check_pooled(const TileRequest&, const PooledCells&);

}  // namespace attnscope::streaming
