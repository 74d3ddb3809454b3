// core/streaming/kernels: sweeps a few queries one by one, as for a model's next token. A panel has a lane
// for each query and would be almost empty; here the lanes are keys, then dimensions of the output. Every sum
// is made in the order of sweep_lanes.hpp and pooling.hpp, so that a row has the same bits on both paths.
// Included by the kernels only.
#pragma once

#include "core/streaming/kernels/sweep_lanes.hpp"

namespace attnscope::streaming::ATTNSCOPE_KERNEL {

/// The most rows on this path: their sums fit into the lanes of a vector.
constexpr int most_few_rows = W < 8 ? W : 8;
/// How many rows use a key that was read: as many as the registers hold.
constexpr int rows_at_once = 4;
static_assert(most_few_rows <= 2 * rows_at_once && most_few_rows % NV == 0);

/// Buffers in the job's scratch. Each row has space for one more vector behind its end.
struct FewRows {
  int rows, low, high;         // any row sees only keys in [low, high)
  int units, blocks;           // 0 without a picture
  float* query;                // [rows][d_k], scaled
  float* score;                // [rows][score_stride] of one block: x
  float *weight, *depth;       // [rows][weight_stride]: e^(x - m), x - m
  float* output;               // [rows][d_v, whole vectors]
  float *unit_sum, *unit_max;  // [rows][unit_stride], of `units`
  float* block_largest;        // [rows][block_stride], of `blocks`
  int64_t score_stride, unit_stride, block_stride;
  int output_stride;
  static constexpr int weight_stride = BK + W;
  RowSums sums;  // lane = row
};

ATTNSCOPE_INLINE int whole_vectors(int count) { return (count + W - 1) / W * W; }

/// Floats of scratch for the rows of a job; keys_per_cell: 0 without a picture.
ATTNSCOPE_INLINE int64_t row_scratch(int d_k, int d_v, int keys, int keys_per_cell) {
  constexpr int64_t rows = most_few_rows, ends = 8 * 16;  // each part is rounded up
  int64_t floats = rows * (d_k + 3 * FewRows::weight_stride + whole_vectors(d_v)) + ends;
  if (keys_per_cell > 0) {
    const int unit = unit_for(keys_per_cell);
    floats += rows * (2 * ((keys + unit - 1) / unit) + (keys + BK - 1) / BK);
  }
  return floats;
}

/// Places the rows' units behind those of the kept rows and clears them, since units of hidden keys must be
/// 0.
static void keep_rows(const KeptCells& kept, int unit, FewRows& f) {
  f.unit_stride = kept.unit_stride, f.block_stride = kept.block_stride;
  f.unit_sum = kept.sum + kept.rows * kept.unit_stride;
  f.unit_max = unit == 1 ? f.unit_sum : kept.largest + kept.rows * kept.unit_stride;
  f.block_largest = kept.scale + kept.rows * kept.block_stride;
  const uint64_t bytes = sizeof(float) * static_cast<uint64_t>(f.rows * f.unit_stride);
  memset(f.unit_sum, 0, bytes);
  memset(f.unit_max, 0, bytes);
}

static FewRows set_up_rows(const SweepJob& job) {
  FewRows f{};
  f.rows = job.rows;
  f.low = job.keys, f.high = 0;
  for (int row = 0; row < job.rows; ++row) {
    const int begin = job.rule.begin[row], end = job.rule.end[row];
    if (begin >= end) continue;
    f.low = begin < f.low ? begin : f.low;
    f.high = end > f.high ? end : f.high;
  }
  const int unit = unit_of(job);
  if (unit > 1 && f.low < f.high) {
    f.low = f.low / unit * unit;
    f.high = (f.high + unit - 1) / unit * unit;
    f.high = f.high < job.keys ? f.high : job.keys;
  }
  float* room = job.scratch;
  const auto take = [&](int64_t floats) {
    float* const taken = room;
    room += (floats + 15) / 16 * 16;
    return taken;
  };
  f.query = take(static_cast<int64_t>(job.rows) * job.d_k);
  f.score_stride = job.scores != nullptr ? job.score_stride : FewRows::weight_stride;
  f.score = job.scores != nullptr ? job.scores : take(f.rows * FewRows::weight_stride);
  f.weight = take(f.rows * FewRows::weight_stride);
  f.depth = take(f.rows * FewRows::weight_stride);
  f.output_stride = whole_vectors(job.d_v);
  f.output = take(static_cast<int64_t>(f.rows) * f.output_stride);
  if (unit != 0) {
    f.units = (job.keys + unit - 1) / unit;
    f.blocks = (job.keys + BK - 1) / BK;
    if (job.kept != nullptr) {
      keep_rows(*job.kept, unit, f);
    } else {
      f.unit_stride = f.units, f.block_stride = f.blocks;
      f.unit_sum = take(f.rows * f.unit_stride);
      f.unit_max = unit == 1 ? f.unit_sum : take(f.rows * f.unit_stride);
      f.block_largest = take(f.rows * f.block_stride);
    }
  }
  for (int row = 0; row < f.rows; ++row)
    for (int d = 0; d < job.d_k; ++d)
      f.query[row * job.d_k + d] = job.query.data[row * job.query.stride + d] * job.rule.scale;
  memset(f.output, 0, sizeof(float) * static_cast<uint64_t>(f.rows) * static_cast<uint64_t>(f.output_stride));
  f.sums = {all(-__FLT_MAX__), Vec{}, Vec{}};
  return f;
}

/// Computes scores of keys [first, last) for R queries from `row` on, to score[row][key - first].
template <int R>
ATTNSCOPE_INLINE void score_keys(const SweepJob& job, const FewRows& f, int row, int first, int last) {
  const float* const query = f.query + row * job.d_k;
  for (int key = first; key < last; key += W) {
    const float* from[W];
    for (int i = 0; i < W; ++i)
      from[i] = job.key.data + (key + i < last ? key + i : last - 1) * job.key.stride;
    Vec sum[R] = {};
    for (int d = 0; d < job.d_k; d += W) {
      const int left = job.d_k - d;
      Vec k[W];
      if (left >= W) {
        ATTNSCOPE_UNROLL for (int i = 0; i < W; ++i) k[i] = load_loose(from[i] + d);
      } else {
        for (int i = 0; i < W; ++i) k[i] = load_some(from[i] + d, left);
      }
      transpose(k);
      ATTNSCOPE_UNROLL for (int i = 0; i < W; ++i) {
        if (i >= left) break;
        ATTNSCOPE_UNROLL for (int r = 0; r < R; ++r) sum[r] =
            multiply_add(k[i], all(query[r * job.d_k + d + i]), sum[r]);
      }
    }
    ATTNSCOPE_UNROLL for (int r = 0; r < R; ++r)
        store_loose(f.score + (row + r) * f.score_stride + (key - first), sum[r]);
  }
}

static void score_rows(const SweepJob& job, const FewRows& f, int first, int last) {
  for (int row = 0; row < f.rows; row += rows_at_once) {
    switch (f.rows - row) {
      case 1: score_keys<1>(job, f, row, first, last); break;
      case 2: score_keys<2>(job, f, row, first, last); break;
      case 3: score_keys<3>(job, f, row, first, last); break;
      default: score_keys<rows_at_once>(job, f, row, first, last); break;
    }
  }
}

/// mark_scores() for one row: keys [first, last), whose scores begin at `x`.
static void mark_row(const ScoreRule& rule, int row, int first, int last, float* x) {
  const int count = last - first;
  if (rule.soft_cap != 0)
    for (int i = 0; i < count; i += W)
      store_loose(x + i, tanh_of(load_loose(x + i) / rule.soft_cap) * rule.soft_cap);
  if (rule.distance_bias != nullptr) {
    const float* const bias = rule.distance_bias - row * rule.distance_step + first;
    for (int i = 0; i < count; ++i) x[i] = x[i] + bias[i];
  }
  if (rule.additive != nullptr) {
    const float* const added = rule.additive + row * rule.additive_stride + first;
    for (int i = 0; i < count; ++i) x[i] = added[i] == -infinity ? added[i] : x[i] + added[i];
  }
  if (rule.allowed != nullptr) {
    const uint8_t* const allowed = rule.allowed + row * rule.allowed_stride + first;
    for (int i = 0; i < count; ++i) x[i] = allowed[i] != 0 ? x[i] : -infinity;
  }
}

/// Row `row` of a block: its largest score, then weights[key - first] and the picture's sums.
static void weigh_row(const SweepJob& job, FewRows& f, int row, int first, int last, float& largest,
                      float& block_sum, float& block_moment) {
  const ScoreRule& rule = job.rule;
  float* const x = f.score + row * f.score_stride;
  const int begin = rule.begin[row] > first ? rule.begin[row] : first,
            end = rule.end[row] < last ? rule.end[row] : last, count = last - first;
  mark_row(rule, row, first, last, x);
  for (int key = first; key < last && key < begin; ++key) x[key - first] = -infinity;
  for (int key = end > first ? end : first; key < last; ++key) x[key - first] = -infinity;
  for (int i = count; i < whole_vectors(count); ++i) x[i] = -infinity;
  Vec most = all(largest);
  for (int i = 0; i < count; i += W) most = larger(most, load_loose(x + i));
  for (int i = 0; i < W; ++i) largest = larger(largest, most[i]);
  const Vec c = all(rule.exponent), least = all(least_exponent / rule.exponent), m = all(largest);
  float* const weight = f.weight + row * FewRows::weight_stride;
  float* const depth = f.depth + row * FewRows::weight_stride;
  for (int i = 0; i < count; i += W) {
    const Vec raw = load_loose(x + i);
    Vec d = raw - m;
    d = least > d ? least : d;
    const Vec e = raw == -infinity ? Vec{} : exp2_product(d, c);
    store_loose(depth + i, d);
    store_loose(weight + i, e);
  }
  float sum = 0, moment = 0;
  for (int i = 0; i < count; ++i) {
    sum += weight[i];
    moment = multiply_add(depth[i], weight[i], moment);
  }
  block_sum = sum, block_moment = moment;
}

/// Keeps sums and largest weights of a row's units in a block.
static void keep_units(const SweepJob& job, const FewRows& f, int row, int first, int last) {
  const int unit = unit_of(job);
  const float* const weight = f.weight + row * FewRows::weight_stride;
  float* const sums = f.unit_sum + row * f.unit_stride;
  float* const mosts = f.unit_max + row * f.unit_stride;
  if (unit == 1) {
    memcpy(sums + first, weight, sizeof(float) * static_cast<uint64_t>(last - first));
    return;
  }
  for (int from = first; from < last; from += unit) {
    const int to = from + unit < last ? from + unit : last;
    float sum = 0, most = 0;
    for (int key = from; key < to; ++key) {
      sum += weight[key - first];
      most = larger(weight[key - first], most);
    }
    sums[from / unit] = sum;
    mosts[from / unit] = most;
  }
}

/// output = output · shrink + weights · V over keys [first, last), N vectors from `d` on.
template <int N>
ATTNSCOPE_INLINE void mix_values(const SweepJob& job, int first, int last, const float* weight, int d,
                                 float shrink, float* output) {
  const int left = job.d_v - d;
  Vec sum[N] = {};
  const float* from = job.value.data + first * job.value.stride + d;
  for (int key = first; key < last; ++key, from += job.value.stride) {
    const Vec w = all(weight[key - first]);
    ATTNSCOPE_UNROLL for (int v = 0; v < N; ++v) sum[v] =
        multiply_add(N > 1 || left >= W ? load_loose(from + v * W) : load_some(from, left), w, sum[v]);
  }
  ATTNSCOPE_UNROLL for (int v = 0; v < N; ++v)
      store_loose(output + d + v * W, multiply_add(load_loose(output + d + v * W), all(shrink), sum[v]));
}

ATTNSCOPE_INLINE void mix_row(const SweepJob& job, int first, int last, const float* weight, float shrink,
                              float* output) {
  constexpr int many = 4;
  int d = 0;
  for (; d + many * W <= job.d_v; d += many * W)
    mix_values<many>(job, first, last, weight, d, shrink, output);
  for (; d < job.d_v; d += W) mix_values<1>(job, first, last, weight, d, shrink, output);
}

/// Sweeps all rows over the keys of one block.
static void sweep_rows_of_block(const SweepJob& job, FewRows& f, int block, int first, int last) {
  score_rows(job, f, first, last);
  const Vec before = f.sums.largest;
  Vec sum{}, moment{};
  for (int row = 0; row < f.rows; ++row) {
    float largest = f.sums.largest[row], row_sum = 0, row_moment = 0;
    weigh_row(job, f, row, first, last, largest, row_sum, row_moment);
    f.sums.largest[row] = largest, sum[row] = row_sum, moment[row] = row_moment;
    if (f.units == 0) continue;
    keep_units(job, f, row, first, last);
    f.block_largest[row * f.block_stride + block] = largest;
  }
  const Vec shrink = join_block(job.rule.exponent, before, sum, moment, f.sums);
  if (job.output == nullptr) return;
  for (int row = 0; row < f.rows; ++row)
    mix_row(job, first, last, f.weight + row * FewRows::weight_stride, shrink[row],
            f.output + row * f.output_stride);
}

/// Turns the blocks' largest scores into the factors of their sums. `share`: the rows' 1 / l, lane = row.
static void scale_blocks(const SweepJob& job, const FewRows& f, Vec share) {
  const Vec c = all(job.rule.exponent), least = all(least_exponent / job.rule.exponent);
  for (int block = f.low / BK; block * BK < f.high; ++block) {
    Vec then{};
    for (int row = 0; row < f.rows; ++row) then[row] = f.block_largest[row * f.block_stride + block];
    Vec down = then - f.sums.largest;
    down = least > down ? least : down;
    const Vec scale = exp2_product(down, c) * share;
    for (int row = 0; row < f.rows; ++row) f.block_largest[row * f.block_stride + block] = scale[row];
  }
}

/// Rows that share cells: units and their scales as in FewRows, for keys in [low, high).
struct PooledRows {
  const float *unit_sum, *unit_max, *scale;
  int64_t unit_stride, block_stride;
  int low, high;
};

/// The cells of one row of cells over all its rows, equal to those of pool_panel(). means, mosts: the row of
/// cells.
static void pool_cell_row(const SweepJob& job, const PooledRows& p, int rows, float* means, float* mosts) {
  const int unit = unit_of(job), per_cell = job.keys_per_cell;
  const float full = 1 / (static_cast<float>(job.rows_per_cell) * static_cast<float>(per_cell));
  const int low = p.low / unit, high = (p.high + unit - 1) / unit, step = per_cell / unit;
  int lanes = 1;  // lanes that the rows would take in a panel; the others are 0
  while (lanes * NV < rows) lanes *= 2;
  for (int cell = p.low / per_cell; cell * per_cell < p.high; ++cell) {
    const int first = cell * step < low ? low : cell * step,
              last = (cell + 1) * step > high ? high : (cell + 1) * step;
    // In a panel, rows in the same lane are added one after the other, then lanes in pairs.
    float sum[W] = {}, most = 0;
    for (int u = first; u < last; ++u) {
      const float* const scale = p.scale + u * unit / BK;
      for (int row = 0; row < rows; ++row) {
        const float factor = scale[row * p.block_stride];
        float& part = sum[row / NV];
        part = multiply_add(p.unit_sum[row * p.unit_stride + u], factor, part);
        most = larger(p.unit_max[row * p.unit_stride + u] * factor, most);
      }
    }
    for (int half = 1; half < lanes; half *= 2)
      for (int i = 0; i < lanes; i += 2 * half) sum[i] += sum[i + half];
    const float mean = sum[0] * full;
    means[cell] = mean;
    mosts[cell] = mean == mean ? most : mean;
  }
}

/// Adds the rows to the kept ones and makes the cells of all of them.
static void pool_kept(const SweepJob& job, const FewRows& f, Vec share) {
  KeptCells& kept = *job.kept;
  for (int row = 0; row < f.rows; ++row) {
    float* const scale = f.block_largest + row * f.block_stride;
    for (int block = 0; block < f.block_stride; ++block)
      if (block < f.low / BK || block * BK >= f.high) scale[block] = share[row];
  }
  kept.low = kept.rows == 0 || f.low < kept.low ? f.low : kept.low;
  kept.high = kept.rows == 0 || f.high > kept.high ? f.high : kept.high;
  kept.rows += f.rows;
  const float* const most = unit_of(job) == 1 ? kept.sum : kept.largest;
  pool_cell_row(job, {kept.sum, most, kept.scale, kept.unit_stride, kept.block_stride, kept.low, kept.high},
                kept.rows, job.cell_mean, job.cell_max);
}

/// `share`: the factor of each row's weights, lane = row.
static void pool_rows(const SweepJob& job, const FewRows& f, Vec share) {
  const int height = job.rows_per_cell;
  scale_blocks(job, f, share);
  if (job.kept != nullptr) return pool_kept(job, f, share);
  if (height == 1 && job.keys_per_cell == 1) {
    for (int row = 0; row < f.rows; ++row)
      for (int key = f.low; key < f.high; ++key)
        job.cell_mean[row * job.cell_stride + key] =
            f.unit_sum[row * f.unit_stride + key] * f.block_largest[row * f.block_stride + key / BK];
    return;
  }
  for (int top = 0; top < f.rows; top += height) {
    const int rows = f.rows - top < height ? f.rows - top : height;
    const int64_t at = top / height * job.cell_stride;
    pool_cell_row(job,
                  {f.unit_sum + top * f.unit_stride, f.unit_max + top * f.unit_stride,
                   f.block_largest + top * f.block_stride, f.unit_stride, f.block_stride, f.low, f.high},
                  rows, job.cell_mean + at, job.cell_max + at);
  }
}

static void finish_rows(const SweepJob& job, FewRows& f) {
  for (int row = 0; row < f.rows; ++row)
    f.sums.sum[row] = finish_row(job, row, f.sums.largest[row], f.sums.sum[row], f.sums.moment[row]);
  const Vec share = share_of(f.sums.sum);
  for (int row = 0; job.output != nullptr && row < f.rows; ++row) {
    const float* const from = f.output + row * f.output_stride;
    for (int d = 0; d < job.d_v; d += W)
      store_some(job.output + static_cast<int64_t>(row) * job.d_v + d, load_loose(from + d) * all(share[row]),
                 job.d_v - d);
  }
  if (f.units != 0) pool_rows(job, f, share);
}

static bool sweep_few_rows(const SweepJob& job) {
  FewRows f = set_up_rows(job);
  for (int block = f.low / BK; block * BK < f.high; ++block) {
    if (job.stop.asked != nullptr && job.stop.asked(job.stop.self)) return false;
    const int first = f.low > block * BK ? f.low : block * BK,
              last = f.high < (block + 1) * BK ? f.high : (block + 1) * BK;
    if (job.scores != nullptr) f.score = job.scores + first;
    sweep_rows_of_block(job, f, block, first, last);
  }
  finish_rows(job, f);
  return true;
}

static int64_t scratch_of_sweep(int panels, int d_k, int d_v, int keys, int keys_per_cell) {
  const int64_t in_panels = sweep_scratch(panels, d_k, d_v, keys, keys_per_cell),
                by_rows = row_scratch(d_k, d_v, keys, keys_per_cell);
  return in_panels > by_rows ? in_panels : by_rows;
}

/// The kernel: few rows one by one, more rows in panels.
static bool sweep(const SweepJob& job) {
  return takes_few_rows(job, most_few_rows, PW) ? sweep_few_rows(job) : sweep_tile(job);
}

}  // namespace attnscope::streaming::ATTNSCOPE_KERNEL
