// core/streaming/kernels: the last line of each kernel's file: everything of one instruction set behind one
// table.
#pragma once

#include "core/streaming/kernels/cells_lanes.hpp"
#include "core/streaming/kernels/sweep_lanes.hpp"
#include "core/streaming/kernels/weight_product.hpp"

namespace attnscope::streaming::ATTNSCOPE_KERNEL {

constexpr Kernels table(const char* name) {
  return {name, W, PW, tile_rows, rounds, &sweep_tile, &compute_cells, &sweep_scratch, &cell_scratch, &multiply_weights};
}

}  // namespace attnscope::streaming::ATTNSCOPE_KERNEL
