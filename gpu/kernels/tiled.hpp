// gpu/kernels: how keys and values lie in the card's memory for products of warpgroups: a tile of `tile` rows
// after the other, of each 64 columns after the other, rows of 128 bytes whose chunks of 16 bytes are
// exchanged by the row, as the products want them in shared memory (PTX ISA, "Shared Memory Matrix Layout").
#pragma once

#include "gpu/kernels/context.hpp"

namespace attnscope::gpu {

struct TiledPlace {
  std::int64_t row;
  int column;
};
/// What stands at number `i` of a head's rows of `d` numbers.
ATTNSCOPE_BOTH TiledPlace tiled_place(std::int64_t i, int d) {
  const int in_tile = static_cast<int>(i % (tile * d)), half = in_tile / (tile * 64),
            row = in_tile / 64 % tile, chunk = in_tile / 8 % 8;
  return {i / (tile * d) * tile + row, half * 64 + (chunk ^ row % 8) * 8 + in_tile % 8};
}

/// Rows up to a whole tile.
ATTNSCOPE_BOTH std::int64_t tiled_rows(std::int64_t rows) { return (rows + tile - 1) / tile * tile; }

}  // namespace attnscope::gpu
