// core/streaming: from the sums of units (a few keys of one query) to the cells of the picture (many keys of
// many queries). Neighbouring queries lie in neighbouring vectors, so most of the adding needs no shuffle;
// what is left is a tree of pairs. Included by the kernels alone, see lanes.hpp.
#pragma once

#include "core/streaming/panel.hpp"

namespace attnscope::streaming::ATTNSCOPE_KERNEL {

/// Sums and largest weights of W neighbouring cells, one vector each: lane = query.
struct CellGroup {
  Vec sum[W], most[W];
};

/// One unit of Vectors neighbouring vectors, joined into one.
template <int Vectors>
ATTNSCOPE_INLINE void join_unit(const float* sums, const float* mosts, const float* scale, Vec& sum,
                                Vec& most) {
  ATTNSCOPE_UNROLL for (int i = 0; i < Vectors; ++i) {
    const Vec factor = load(scale + i * W);
    sum += load(sums + i * W) * factor;
    most = larger(load(mosts + i * W) * factor, most);
  }
}

/// Units [first, last) that make up a cell, as far as the panel reached them.
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

/// W cells from `cell` on; those that the panel did not reach are 0.
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

/// Each `Lanes` neighbouring lanes joined, and then lanes and vectors swapped: vector x · Lanes holds what
/// the x-th group of lanes has in each of the W cells.
template <int Lanes, bool Largest>
ATTNSCOPE_INLINE void turn(Vec* r) {
  join_lanes<1, Lanes, Largest>(r);
  swap_bits<Lanes, Lanes>(r);
}

/// W neighbouring cells of one row of the picture, as means and largest weights; with `joins` what is there
/// is added to. A cell with a NaN in it is NaN in both.
ATTNSCOPE_INLINE void write_cells(const SweepJob& job, Vec mean, Vec most, int64_t at, int count,
                                  bool joins) {
  float *means = job.cell_mean + at, *mosts = job.cell_max + at;
  if (count >= W) {
    if (joins) mean += load_loose(means);
    store_loose(means, mean);
    if (joins) most = larger(most, load_loose(mosts));
    store_loose(mosts, mean == mean ? most : mean);
    return;
  }
  for (int i = 0; i < count; ++i) {
    means[i] = mean[i] + (joins ? means[i] : 0);
    const float was = joins ? mosts[i] : 0, now = most[i] > was ? most[i] : was;
    mosts[i] = means[i] == means[i] ? now : means[i];
  }
}

/// Every single weight that a panel reaches: mean and largest are one, and nothing is joined. The lines of
/// the picture that come next are fetched meanwhile: its rows are far apart, and no machine guesses them.
static void pool_weights(const SweepJob& job, const Panel& p) {
  constexpr int line = 16, ahead = 4 * line;  // floats
  const auto row_at = [&](int row) { return job.cell_mean + (p.first_row + row) * job.cell_stride; };
  for (int row = 0; row < p.rows; ++row)
    for (int key = 0; key < ahead; key += line) __builtin_prefetch(row_at(row) + p.low + key, 1);
  for (int v = 0; v < NV; ++v) {
    for (int key = p.low; key < p.high; key += W) {
      const int count = p.high - key < W ? p.high - key : W;
      Vec weights[W];
      ATTNSCOPE_UNROLL for (int i = 0; i < W; ++i) {
        const int at = key + (i < count ? i : 0);
        const float* scale = p.block_largest + static_cast<int64_t>(at / BK) * PW + v * W;
        weights[i] = load(p.unit_sum + static_cast<int64_t>(at) * PW + v * W) * load(scale);
      }
      transpose(weights);
      for (int x = 0; x < W; ++x) {
        const int row = x * NV + v;
        if (row >= p.rows) break;
        float* const to = row_at(row) + key;
        if (key % line == 0) __builtin_prefetch(to + ahead, 1);
        if (count == W)
          store_loose(to, weights[x]);
        else
          for (int i = 0; i < count; ++i) to[i] = weights[x][i];
      }
    }
  }
}

/// All cells that a panel reaches; the rows of a cell are `Vectors` neighbouring vectors and `Lanes` lanes. A
/// line of the cache is filled at once: rows of the picture are far apart.
template <int Vectors, int Lanes>
static void pool_cells(const SweepJob& job, const Panel& p) {
  constexpr int groups = 16 / W;
  const bool joins = job.rows_per_cell > PW;
  const int per_cell = job.keys_per_cell, last_cell = (p.high + per_cell - 1) / per_cell;
  const Vec share = all(1 / (static_cast<float>(job.rows_per_cell) * static_cast<float>(per_cell)));
  for (int cell = p.low / per_cell; cell < last_cell; cell += groups * W) {
    for (int v = 0; v < NV; v += Vectors) {
      CellGroup group[groups];
      for (int g = 0; g < groups; ++g) {
        gather<Vectors>(job, p, cell + g * W, last_cell, v, group[g]);
        turn<Lanes, false>(group[g].sum);
        turn<Lanes, true>(group[g].most);
      }
      for (int x = 0; x < W; x += Lanes) {
        const int row = x * NV + v;
        if (row >= p.rows) break;
        const int64_t at = (p.first_row + row) / job.rows_per_cell * job.cell_stride + cell;
        for (int g = 0; g < groups; ++g)
          write_cells(job, group[g].sum[x] * share, group[g].most[x], at + g * W, last_cell - cell - g * W,
                      joins);
      }
    }
  }
}

/// Zeros where a panel's rows see nothing, but for cells that are higher than a panel.
static void clear_unreached(const SweepJob& job, const Panel& p) {
  if (job.rows_per_cell > PW) return;
  const int per_cell = job.keys_per_cell, columns = (job.keys + per_cell - 1) / per_cell;
  const int first = p.low < p.high ? p.low / per_cell : columns, last = (p.high + per_cell - 1) / per_cell;
  for (int row = 0; row < p.rows; row += job.rows_per_cell) {
    const int64_t at = (p.first_row + row) / job.rows_per_cell * job.cell_stride;
    for (float* cells : {job.cell_mean + at, job.cell_max == nullptr ? nullptr : job.cell_max + at}) {
      if (cells == nullptr) continue;
      memset(cells, 0, sizeof(float) * static_cast<uint64_t>(first));
      if (last > first) memset(cells + last, 0, sizeof(float) * static_cast<uint64_t>(columns - last));
    }
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
  clear_unreached(job, p);
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
