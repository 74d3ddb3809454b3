// core/streaming/kernels: the last line of each kernel's file: everything of one instruction set behind one
// table.
#pragma once

#include "core/streaming/kernels/cells_lanes.hpp"
#include "core/streaming/kernels/sweep_lanes.hpp"
#if !defined(ATTNSCOPE_BFLOAT_PARTS)  // they have sweeps and cells only, see wide_kernels.hpp
#include "core/streaming/kernels/activation.hpp"
#include "core/streaming/kernels/norm.hpp"
#include "core/streaming/kernels/row_lanes.hpp"
#include "core/streaming/kernels/stored_product.hpp"
#include "core/streaming/kernels/weight_product.hpp"
#include "core/streaming/kernels/widen.hpp"
#endif

namespace attnscope::streaming::ATTNSCOPE_KERNEL {

#if defined(ATTNSCOPE_BFLOAT_PARTS)  // a row's scores are rounded as tiles round them
constexpr int most_few_rows = 0;
ATTNSCOPE_INLINE bool sweep(const SweepJob& job) { return sweep_tile(job); }
ATTNSCOPE_INLINE int64_t scratch_of_sweep(int panels, int d_k, int d_v, int keys, int keys_per_cell) {
  return sweep_scratch(panels, d_k, d_v, keys, keys_per_cell);
}
#endif

constexpr Kernels table(const char* name) {
  return {
    name, W, PW, tile_rows, most_few_rows, rounds, &sweep, &compute_cells, &scratch_of_sweep, &cell_scratch,
#if defined(ATTNSCOPE_BFLOAT_PARTS)
        nullptr, nullptr, nullptr, nullptr, nullptr, nullptr
  };
#else
        &multiply_weights, &multiply_columns, &activate_all, &normalise_rows, &widen_numbers, &multiply_stored
  };
#endif
}

}  // namespace attnscope::streaming::ATTNSCOPE_KERNEL
