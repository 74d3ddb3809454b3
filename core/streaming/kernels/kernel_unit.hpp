// core/streaming/kernels: the last line of each kernel's file: everything of one instruction set behind one
// table.
#pragma once

#include "core/streaming/kernels/activation.hpp"
#include "core/streaming/kernels/cells_lanes.hpp"
#include "core/streaming/kernels/norm.hpp"
#include "core/streaming/kernels/sweep_lanes.hpp"
#include "core/streaming/kernels/weight_product.hpp"
#include "core/streaming/kernels/widen.hpp"

namespace attnscope::streaming::ATTNSCOPE_KERNEL {

constexpr Kernels table(const char* name) {
  return {name,
          W,
          PW,
          tile_rows,
          rounds,
          &sweep_tile,
          &compute_cells,
          &sweep_scratch,
          &cell_scratch,
          &multiply_weights,
          &multiply_columns,
          &activate_all,
          &normalise_rows,
          &widen_numbers};
}

}  // namespace attnscope::streaming::ATTNSCOPE_KERNEL
