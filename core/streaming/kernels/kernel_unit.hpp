// core/streaming/kernels: the table with all functions of one instruction set; the last line of each kernel's
// file.
#pragma once

#include "core/streaming/kernels/cells_lanes.hpp"
#include "core/streaming/kernels/sweep_lanes.hpp"
#if !defined(ATTNSCOPE_BFLOAT_PARTS)  // these have sweeps and cells only, see wide_kernels.hpp
#include "core/streaming/kernels/activation.hpp"
#include "core/streaming/kernels/norm.hpp"
#include "core/streaming/kernels/row_lanes.hpp"
#include "core/streaming/kernels/stored_product.hpp"
#include "core/streaming/kernels/weight_product.hpp"
#include "core/streaming/kernels/widen.hpp"
#endif

namespace attnscope::streaming::ATTNSCOPE_KERNEL {

#if defined(ATTNSCOPE_BFLOAT_PARTS)  // rows must be rounded as tiles round them
constexpr int most_few_rows = 0;
ATTNSCOPE_INLINE bool sweep(const SweepJob& job) { return sweep_tile(job); }
ATTNSCOPE_INLINE int64_t scratch_of_sweep(int panels, int d_k, int d_v, int keys, int keys_per_cell) {
  return sweep_scratch(panels, d_k, d_v, keys, keys_per_cell);
}
constexpr void add_float32_parts(RowKernels&) {}
#else
constexpr void add_float32_parts(RowKernels& kernels) {
  kernels.multiply_weights = &multiply_weights;
  kernels.multiply_columns = &multiply_columns;
  kernels.activate = &activate_all;
  kernels.normalise = &normalise_rows;
  kernels.widen = &widen_numbers;
  kernels.multiply_stored = &multiply_stored;
}
#endif

constexpr Kernels table(const char* name) {
  Kernels kernels{};
  kernels.name = name;
  kernels.width = W;
  kernels.lanes = PW;
  kernels.tile_rows = tile_rows;
  kernels.few_rows = most_few_rows;
  kernels.rounds = rounds;
  kernels.sweep = &sweep;
  kernels.cells = &compute_cells;
  kernels.sweep_scratch = &scratch_of_sweep;
  kernels.cell_scratch = &cell_scratch;
  add_float32_parts(kernels);
  return kernels;
}

}  // namespace attnscope::streaming::ATTNSCOPE_KERNEL
