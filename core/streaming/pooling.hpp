// core/streaming: from the sums of units (a few keys of one query) to the cells of the picture (many keys of
// many queries). Neighbouring queries lie in neighbouring vectors, so most of the adding needs no shuffle;
// what is left is a tree of pairs. Included by the kernels alone, see lanes.hpp.
#pragma once

#include "core/streaming/panel.hpp"

namespace attnscope::streaming::ATTNSCOPE_KERNEL {

struct Sum {
  static inline __attribute__((always_inline)) Vec join(Vec a, Vec b) { return a + b; }
};
struct Most {
  static inline __attribute__((always_inline)) Vec join(Vec a, Vec b) { return larger(a, b); }
};

/// How the rows of a panel fall into cells.
struct RowPooling {
  int vectors;  // neighbouring vectors that are added up
  int lanes;    // neighbouring lanes that are then
  bool joins;   // cells are higher than a panel: what is there is added to
};

ATTNSCOPE_INLINE RowPooling row_pooling(int rows_per_cell) {
  const int rows = rows_per_cell < PW ? rows_per_cell : PW, vectors = rows < NV ? rows : NV;
  return {vectors, rows / vectors, rows_per_cell > PW};
}

/// The units of one cell and some vectors of the panel, joined into one vector.
template <class Op>
ATTNSCOPE_INLINE Vec cell_of(const SweepJob& job, const Panel& p, const float* units, int cell, int v,
                             int vectors) {
  const int unit = unit_of(job), per_cell = job.keys_per_cell / unit;
  int first = cell * per_cell, last = first + per_cell;
  const int low = p.low / unit, high = (p.high + unit - 1) / unit;
  first = first < low ? low : first;
  last = last > high ? high : last;
  Vec result{};
  for (int u = first; u < last; ++u) {
    const float* scale = p.block_largest + static_cast<int64_t>(u * unit / BK) * PW;
    for (int i = v; i < v + vectors; ++i)
      result = Op::join(load(units + static_cast<int64_t>(u) * PW + i * W) * load(scale + i * W), result);
  }
  return result;
}

/// Cells [cell, cell + count) of one row of the picture.
template <class Op>
ATTNSCOPE_INLINE void write_cells(Vec cells, float* out, int count, bool joins) {
  if (count >= W) {
    store_loose(out, joins ? Op::join(cells, load_loose(out)) : cells);
    return;
  }
  alignas(4 * W) float some[W];
  store(some, cells);
  for (int i = 0; i < count; ++i) {
    if (joins) {
      const Vec joined = Op::join(all(some[i]), all(out[i]));
      out[i] = joined[0];
    } else {
      out[i] = some[i];
    }
  }
}

/// All cells that a panel reaches, `Lanes` lanes to a cell.
template <class Op, int Lanes>
static void pool_cells(const SweepJob& job, const Panel& p, const float* units, float* picture) {
  constexpr int rows = W / Lanes;  // of the picture, in each vector
  const RowPooling pooling = row_pooling(job.rows_per_cell);
  const int per_cell = job.keys_per_cell, last_cell = (p.high + per_cell - 1) / per_cell;
  for (int cell = p.low / per_cell; cell < last_cell; cell += W) {
    for (int v = 0; v < NV; v += pooling.vectors) {
      Vec r[W];
      for (int i = 0; i < W; ++i)
        r[i] = cell + i < last_cell ? cell_of<Op>(job, p, units, cell + i, v, pooling.vectors) : Vec{};
      int count = W;
      ATTNSCOPE_UNROLL for (int lanes = Lanes; lanes > 1; lanes /= 2) {
        count /= 2;
        ATTNSCOPE_UNROLL for (int i = 0; i < count; ++i) {
          Vec even, odd;
          split_pairs(r[2 * i], r[2 * i + 1], even, odd);
          r[i] = Op::join(even, odd);
        }
      }
      rotate_bits<rows>(r);
      for (int x = 0; x < rows; ++x) {
        const int row = x * Lanes * NV + v;
        if (row >= p.rows) break;
        float* out = picture + (p.first_row + row) / job.rows_per_cell * job.cell_stride + cell;
        write_cells<Op>(r[x], out, last_cell - cell, pooling.joins);
      }
    }
  }
}

template <class Op>
static void pool(const SweepJob& job, const Panel& p, const float* units, float* picture) {
  switch (row_pooling(job.rows_per_cell).lanes) {
    case 1: return pool_cells<Op, 1>(job, p, units, picture);
    case 2: return pool_cells<Op, 2>(job, p, units, picture);
    case 4: return pool_cells<Op, 4>(job, p, units, picture);
    case 8: return pool_cells < Op, W < 8 ? W : 8 > (job, p, units, picture);
    default: return pool_cells<Op, W>(job, p, units, picture);
  }
}

/// Adds a finished panel to the picture: sums of e^(x - m) become sums of weights by e^(m then - m now) / l.
static void pool_panel(const SweepJob& job, Panel& p) {
  const Vec c = all(job.rule.exponent), least = all(least_exponent / job.rule.exponent);
  for (int lane = 0; lane < PW; ++lane)
    if (row_of(lane) >= p.rows) p.sum[lane] = 0;
  for (int block = p.low / BK; block * BK < p.high; ++block) {
    float* then = p.block_largest + static_cast<int64_t>(block) * PW;
    for (int v = 0; v < NV; ++v) {
      Vec down = load(then + v * W) - load(p.largest + v * W);
      down = least > down ? least : down;
      store(then + v * W, exp2_product(down, c) * load(p.sum + v * W));
    }
  }
  pool<Sum>(job, p, p.unit_sum, job.cell_sum);
  pool<Most>(job, p, p.unit_max, job.cell_max);
}

}  // namespace attnscope::streaming::ATTNSCOPE_KERNEL
