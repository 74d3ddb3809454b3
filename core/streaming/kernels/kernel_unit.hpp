// core/streaming/kernels: the table with all functions of one instruction set; the last line of each kernel's
// file.
#pragma once

#include "core/streaming/kernels/activation.hpp"
#include "core/streaming/kernels/cells_lanes.hpp"
#include "core/streaming/kernels/norm.hpp"
#include "core/streaming/kernels/row_lanes.hpp"
#include "core/streaming/kernels/stored_product.hpp"
#include "core/streaming/kernels/sweep_lanes.hpp"
#include "core/streaming/kernels/weight_product.hpp"
#include "core/streaming/kernels/widen.hpp"

namespace attnscope::streaming::ATTNSCOPE_KERNEL {

constexpr Kernels table(const char* name) {
  Kernels kernels{};
  kernels.name = name;
  kernels.width = W;
  kernels.lanes = PW;
  kernels.tile_rows = tile_rows;
  kernels.few_rows = most_few_rows;
  kernels.sweep = &sweep;
  kernels.cells = &compute_cells;
  kernels.sweep_scratch = &scratch_of_sweep;
  kernels.cell_scratch = &cell_scratch;
  kernels.multiply_weights = &multiply_weights;
  kernels.multiply_columns = &multiply_columns;
  kernels.activate = &activate_all;
  kernels.normalise = &normalise_rows;
  kernels.widen = &widen_numbers;
  kernels.multiply_stored = &multiply_stored;
  return kernels;
}

}  // namespace attnscope::streaming::ATTNSCOPE_KERNEL
