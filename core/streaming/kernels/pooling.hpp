// core/streaming/kernels: pools the sums of units (a few keys of one query) to the picture's cells (many keys
// of many queries). Adjacent queries lie in adjacent vectors, so most additions need no shuffle; the others
// form a tree of pairs. Included by the kernels only, see lanes.hpp.
#pragma once

#include "core/streaming/kernels/panel.hpp"

namespace attnscope::streaming::ATTNSCOPE_KERNEL {

/// Sums and largest weights of W adjacent cells, one vector each: lane = query.
struct CellGroup {
  Vec sum[W], most[W];
};

/// Combines one unit of `Vectors` adjacent vectors into one.
template <int Vectors>
ATTNSCOPE_INLINE void join_unit(const float* sums, const float* mosts, const float* scale, Vec& sum,
                                Vec& most) {
  ATTNSCOPE_UNROLL for (int i = 0; i < Vectors; ++i) {
    const Vec factor = load(scale + i * W);
    sum = multiply_add(load(sums + i * W), factor, sum);
    most = larger(load(mosts + i * W) * factor, most);
  }
}

/// Combines units [first, last) of a cell, as far as the panel reached them.
template <int Vectors>
ATTNSCOPE_INLINE void join_units(const Panel& p, int unit, int first, int last, int v, Vec& sum, Vec& most) {
  const int low = p.low / unit, high = (p.high + unit - 1) / unit;
  first = first < low ? low : first;
  last = last > high ? high : last;
  for (int u = first; u < last; ++u) {
    const int64_t at = static_cast<int64_t>(u) * PW + v * W;
    const float* scale = p.block_largest + static_cast<int64_t>(u * unit / BK) * PW + v * W;
    join_unit<Vectors>(p.unit_sum + at, p.unit_max + at, scale, sum, most);
  }
}

/// Combines W cells from `cell` on; cells that the panel did not reach are 0.
template <int Vectors>
ATTNSCOPE_INLINE void gather(const SweepJob& job, const Panel& p, int cell, int last_cell, int v,
                             CellGroup& group) {
  const int unit = unit_of(job), per_cell = job.keys_per_cell / unit;
  const int first_key = cell * unit, last_key = first_key + W * unit - 1, block = first_key / BK;
  if (per_cell == 1 && cell + W <= last_cell && last_key / BK == block) {
    const int64_t at = static_cast<int64_t>(cell) * PW + v * W;
    const float* scale = p.block_largest + static_cast<int64_t>(block) * PW + v * W;
    ATTNSCOPE_UNROLL for (int i = 0; i < W; ++i) {
      group.sum[i] = group.most[i] = Vec{};
      join_unit<Vectors>(p.unit_sum + at + i * PW, p.unit_max + at + i * PW, scale, group.sum[i],
                         group.most[i]);
    }
    return;
  }
  for (int i = 0; i < W; ++i) {
    Vec sum{}, most{};
    const int first = (cell + i) * per_cell;
    if (cell + i < last_cell) join_units<Vectors>(p, unit, first, first + per_cell, v, sum, most);
    group.sum[i] = sum;
    group.most[i] = most;
  }
}

template <int S, int Lanes, bool Largest>
ATTNSCOPE_INLINE void join_lanes(Vec* r) {
  if constexpr (S < Lanes) {
    ATTNSCOPE_UNROLL for (int i = 0; i < W; i += 2 * S) {
      Vec low = r[i], high = r[i + S];
      swap_halves<S>(low, high);
      r[i] = Largest ? larger(low, high) : low + high;
    }
    join_lanes<2 * S, Lanes, Largest>(r);
  }
}

/// Combines each `Lanes` adjacent lanes, then transposes lanes and vectors: vector x · Lanes holds the x-th
/// group of lanes of each of the W cells.
template <int Lanes, bool Largest>
ATTNSCOPE_INLINE void turn(Vec* r) {
  join_lanes<1, Lanes, Largest>(r);
  swap_bits<Lanes, Lanes>(r);
}

/// A buffer for adjacent cells of a panel's rows. The picture's rows are far apart: writing a few cache lines
/// of each at once is many times faster than writing single cells.
struct Run {
  static constexpr int cells = 64;
  float mean[PW][cells], most[PW][cells];
};

ATTNSCOPE_INLINE void write_weights(float* to, const float* from, int count) {
  int i = 0;
  for (; i + W <= count; i += W) store_loose(to + i, load(from + i));
  for (; i < count; ++i) to[i] = from[i];
}

/// Writes one row of cells as means and largest weights; with `joins`, adds to the existing ones. A cell with
/// a NaN is NaN in both.
ATTNSCOPE_INLINE void write_cells(float* means, float* mosts, const float* mean, const float* most, int count,
                                  bool joins) {
  int i = 0;
  for (; i + W <= count; i += W) {
    Vec sum = load(mean + i), top = load(most + i);
    if (joins) sum += load_loose(means + i), top = larger(top, load_loose(mosts + i));
    store_loose(means + i, sum);
    store_loose(mosts + i, sum == sum ? top : sum);
  }
  for (; i < count; ++i) {
    means[i] = mean[i] + (joins ? means[i] : 0);
    const float was = joins ? mosts[i] : 0, now = most[i] > was ? most[i] : was;
    mosts[i] = means[i] == means[i] ? now : means[i];
  }
}

/// Writes every single weight that a panel reaches: here mean and largest are equal.
static void pool_weights(const SweepJob& job, const Panel& p) {
  alignas(64) Run run;
  for (int first = p.low; first < p.high; first += Run::cells) {
    const int last = p.high - first < Run::cells ? p.high : first + Run::cells;
    for (int key = first; key < last; key += W) {
      for (int v = 0; v < NV; ++v) {
        Vec weights[W];
        ATTNSCOPE_UNROLL for (int i = 0; i < W; ++i) {
          const int at = key + i < last ? key + i : key;
          const float* scale = p.block_largest + static_cast<int64_t>(at / BK) * PW + v * W;
          weights[i] = load(p.unit_sum + static_cast<int64_t>(at) * PW + v * W) * load(scale);
        }
        transpose(weights);
        ATTNSCOPE_UNROLL for (int x = 0; x < W; ++x) store(run.mean[x * NV + v] + (key - first), weights[x]);
      }
    }
    for (int row = 0; row < p.rows; ++row)
      write_weights(job.cell_mean + (p.first_row + row) * job.cell_stride + first, run.mean[row],
                    last - first);
  }
}

/// Writes all cells that a panel reaches; the rows of a cell are `Vectors` adjacent vectors and `Lanes`
/// lanes.
template <int Vectors, int Lanes>
static void pool_cells(const SweepJob& job, const Panel& p) {
  alignas(64) Run run;
  const bool joins = job.rows_per_cell > PW;
  const int per_cell = job.keys_per_cell, end = (p.high + per_cell - 1) / per_cell;
  const Vec share = all(1 / (static_cast<float>(job.rows_per_cell) * static_cast<float>(per_cell)));
  for (int first = p.low / per_cell; first < end; first += Run::cells) {
    const int last = end - first < Run::cells ? end : first + Run::cells;
    for (int cell = first; cell < last; cell += W) {
      for (int v = 0; v < NV; v += Vectors) {
        CellGroup group;
        gather<Vectors>(job, p, cell, last, v, group);
        turn<Lanes, false>(group.sum);
        turn<Lanes, true>(group.most);
        ATTNSCOPE_UNROLL for (int x = 0; x < W; x += Lanes) {
          store(run.mean[x * NV + v] + (cell - first), group.sum[x] * share);
          store(run.most[x * NV + v] + (cell - first), group.most[x]);
        }
      }
    }
    for (int row = 0; row < p.rows; row += Vectors * Lanes) {
      const int64_t at = (p.first_row + row) / job.rows_per_cell * job.cell_stride + first;
      write_cells(job.cell_mean + at, job.cell_max + at, run.mean[row], run.most[row], last - first, joins);
    }
  }
}

/// Adds a finished panel to the picture: sums of e^(x - m) become sums of weights by the factor e^(m then - m
/// now) / l.
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
  if (job.rows_per_cell == 1 && job.keys_per_cell == 1) return pool_weights(job, p);
  switch (job.rows_per_cell < PW ? job.rows_per_cell : PW) {
    case 1: return pool_cells<1, 1>(job, p);
    case 2: return pool_cells<2, 1>(job, p);
    case 4: return pool_cells<NV, 4 / NV>(job, p);
    case 8: return pool_cells<NV, 8 / NV>(job, p);
    case 16: return pool_cells<NV, (16 < PW ? 16 : PW) / NV>(job, p);
    case 32: return pool_cells<NV, (32 < PW ? 32 : PW) / NV>(job, p);
    default: return pool_cells<NV, W>(job, p);
  }
}

}  // namespace attnscope::streaming::ATTNSCOPE_KERNEL
