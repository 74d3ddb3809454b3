// core/streaming/kernels: a panel of queries, one in each lane: its place in the scratch memory, and how
// queries are read and outputs written. Adjacent queries lie in the same lane of adjacent vectors (row =
// lane·NV + vector), so that the picture adds them without shuffles. Included by the kernels only.
#pragma once

#include "core/streaming/kernels/kernels.hpp"
#include "core/streaming/kernels/operands.hpp"

namespace attnscope::streaming::ATTNSCOPE_KERNEL {

constexpr int BK = 192;  // keys in a block, so that their scores for one panel fit into the L1 cache
static_assert(BK % largest_unit == 0);

struct Panel {
  int first_row, rows;                     // relative to the job
  int low, high;                           // any lane sees only keys in [low, high)
  int from, to;                            // every lane's interval contains [from, to)
  float *query, *output;                   // [d_k][PW], [d_v][PW]
  float *largest, *sum, *moment, *shrink;  // [PW]: m, l, u and the factor of the last block
  int32_t *begin, *end, *strongest;        // [PW]
  float *unit_sum, *unit_max;              // [units][PW]
  float* block_largest;                    // [blocks][PW] m after the block
};

/// Keys [first, last) and memory for their scores, [last - first][PW].
struct Block {
  int first, last;
  float* scores;
};

ATTNSCOPE_INLINE int lane_of(int row) { return row % NV * W + row / NV; }
ATTNSCOPE_INLINE int row_of(int lane) { return lane % W * NV + lane / W; }

/// The number of keys in a unit, whose sums are kept for the picture; 0 without one.
ATTNSCOPE_INLINE int unit_for(int keys_per_cell) {
  return keys_per_cell < largest_unit ? keys_per_cell : largest_unit;
}
ATTNSCOPE_INLINE int unit_of(const SweepJob& job) {
  return job.cell_mean == nullptr ? 0 : unit_for(job.keys_per_cell);
}

static int64_t panel_scratch(int d_k, int d_v, int keys, int keys_per_cell) {
  int64_t floats = static_cast<int64_t>(d_k + d_v + 4 + 3) * PW;
  if (keys_per_cell > 0) {
    const int unit = unit_for(keys_per_cell);
    floats += (static_cast<int64_t>((keys + unit - 1) / unit) * 2 + (keys + BK - 1) / BK) * PW;
  }
  return floats;
}

/// Transposes W rows of W numbers; `row(i)` points to row i.
template <class Row>
ATTNSCOPE_INLINE void turn_square(Row row, float factor, float* out, int out_stride) {
  Vec r[W];
  ATTNSCOPE_UNROLL for (int i = 0; i < W; ++i) r[i] = load_loose(row(i)) * factor;
  transpose(r);
  ATTNSCOPE_UNROLL for (int i = 0; i < W; ++i) store(out + i * out_stride, r[i]);
}

/// Reads the panel's queries, scaled, as [d_k][PW]. Lanes beyond the last row repeat it.
static void read_queries(const SweepJob& job, Panel& p) {
  for (int v = 0; v < NV; ++v) {
    const auto row = [&](int i) {
      const int wanted = i * NV + v, last = p.rows - 1;
      return job.query.data + (p.first_row + (wanted < last ? wanted : last)) * job.query.stride;
    };
    int d = 0;
    for (; d + W <= job.d_k; d += W)
      turn_square([&](int i) { return row(i) + d; }, job.rule.scale, p.query + d * PW + v * W, PW);
    for (; d < job.d_k; ++d)
      for (int i = 0; i < W; ++i) p.query[d * PW + v * W + i] = row(i)[d] * job.rule.scale;
  }
}

/// Takes the panel's memory from `room`, reads its queries and intervals, and returns the rest of `room`.
static float* set_up_panel(const SweepJob& job, int first_row, float* room, Panel& p) {
  p.first_row = first_row;
  p.rows = job.rows - first_row < PW ? job.rows - first_row : PW;
  const auto take = [&](int64_t floats) {
    float* taken = room;
    room += floats;
    return taken;
  };
  p.query = take(job.d_k * PW);
  p.output = take(job.d_v * PW);
  p.largest = take(PW), p.sum = take(PW), p.moment = take(PW), p.shrink = take(PW);
  p.begin = reinterpret_cast<int32_t*>(take(PW));
  p.end = reinterpret_cast<int32_t*>(take(PW));
  p.strongest = reinterpret_cast<int32_t*>(take(PW));
  p.unit_sum = p.unit_max = p.block_largest = nullptr;
  if (const int64_t unit = unit_of(job); unit != 0) {
    const int64_t units = (job.keys + unit - 1) / unit;
    p.unit_sum = take(units * PW);
    p.unit_max = unit == 1 ? p.unit_sum : take(units * PW);
    p.block_largest = take(static_cast<int64_t>((job.keys + BK - 1) / BK) * PW);
  }
  p.low = job.keys, p.high = 0, p.from = 0, p.to = job.keys;
  for (int lane = 0; lane < PW; ++lane) {
    const int wanted = row_of(lane), row = first_row + (wanted < p.rows ? wanted : p.rows - 1);
    const int begin = job.rule.begin[row], end = job.rule.end[row];
    p.begin[lane] = begin;
    p.end[lane] = end;
    if (begin < end && begin < p.low) p.low = begin;
    if (begin < end && end > p.high) p.high = end;
    if (begin > p.from) p.from = begin;
    if (end < p.to) p.to = end;
    p.largest[lane] = -__FLT_MAX__;
    p.sum[lane] = p.moment[lane] = 0;
    p.strongest[lane] = -1;
  }
  // Whole units, so that a row's sums have the same bits whichever rows share its panel.
  if (const int unit = unit_of(job); unit > 1 && p.low < p.high) {
    p.low = p.low / unit * unit;
    p.high = (p.high + unit - 1) / unit * unit;
    p.high = p.high < job.keys ? p.high : job.keys;
  }
  memset(p.output, 0, sizeof(float) * static_cast<uint64_t>(job.d_v) * PW);
  read_queries(job, p);
  return room;
}

/// Writes output rows from [d_v][PW]; p.sum holds 1 / l by now.
static void write_output(const SweepJob& job, const Panel& p) {
  for (int v = 0; v < NV; ++v) {
    const Vec share = load(p.sum + v * W);
    for (int d = 0; d < job.d_v; ++d)
      store(p.output + d * PW + v * W, load(p.output + d * PW + v * W) * share);
    const auto row = [&](int i) {
      return job.output + static_cast<int64_t>(p.first_row + i * NV + v) * job.d_v;
    };
    const bool all_rows = (W - 1) * NV + v < p.rows;
    int d = 0;
    for (; all_rows && d + W <= job.d_v; d += W) {
      Vec r[W];
      ATTNSCOPE_UNROLL for (int i = 0; i < W; ++i) r[i] = load(p.output + (d + i) * PW + v * W);
      transpose(r);
      ATTNSCOPE_UNROLL for (int i = 0; i < W; ++i) store_loose(row(i) + d, r[i]);
    }
    for (; d < job.d_v; ++d)
      for (int i = 0; i < W && i * NV + v < p.rows; ++i) row(i)[d] = p.output[d * PW + v * W + i];
  }
}

}  // namespace attnscope::streaming::ATTNSCOPE_KERNEL
