// core/streaming/kernels: exact cells of a rectangle, and column sums; lanes = keys. The scores are summed in
// the same order as in the sweep, so both agree to the last bit. Included by the kernels only, see lanes.hpp.
#pragma once

#include "core/streaming/kernels/kernels.hpp"
#include "core/streaming/kernels/products.hpp"

namespace attnscope::streaming::ATTNSCOPE_KERNEL {

constexpr int cell_panels = (cell_keys + PW - 1) / PW;

static int64_t cell_scratch(int d_k) {
  return static_cast<int64_t>(d_k) * (cell_rows + cell_panels * PW) + cell_rows * PW;
}

/// Transposes one panel of keys to [d_k][PW]; lanes beyond the last key repeat it.
static void turn_keys(const CellJob& job, int first, float* out) {
  for (int v = 0; v < NV; ++v) {
    const auto row = [&](int i) {
      const int wanted = first + v * W + i, last = job.last_key - 1;
      return job.key.data + static_cast<int64_t>(wanted < last ? wanted : last) * job.key.stride;
    };
    int d = 0;
    for (; d + W <= job.d_k; d += W) {
      Vec r[W];
      ATTNSCOPE_UNROLL for (int i = 0; i < W; ++i) r[i] = load_loose(row(i) + d);
      transpose(r);
      ATTNSCOPE_UNROLL for (int i = 0; i < W; ++i) store(out + (d + i) * PW + v * W, r[i]);
    }
    for (; d < job.d_k; ++d)
      for (int i = 0; i < W; ++i) out[d * PW + v * W + i] = row(i)[d];
  }
}

/// Applies biases and masks to the first `count` scores of a row, for a panel that is not full.
static void mark_keys(const ScoreRule& rule, int row, int first, int count, float* s) {
  if (rule.distance_bias != nullptr) {
    const float* bias = rule.distance_bias - row * rule.distance_step + first;
    for (int i = 0; i < count; ++i) s[i] += bias[i];
  }
  if (rule.additive != nullptr) {
    const float* added = rule.additive + row * rule.additive_stride + first;
    for (int i = 0; i < count; ++i) s[i] = added[i] == -infinity ? -infinity : s[i] + added[i];
  }
  if (rule.allowed != nullptr) {
    const uint8_t* allowed = rule.allowed + row * rule.allowed_stride + first;
    for (int i = 0; i < count; ++i) s[i] = allowed[i] != 0 ? s[i] : -infinity;
  }
}

/// Applies biases and masks to a row of a full panel.
static void mark_panel(const ScoreRule& rule, int row, int first, float* s) {
  alignas(4 * W) int32_t seen[PW];
  if (rule.allowed != nullptr) {
    const uint8_t* allowed = rule.allowed + row * rule.allowed_stride + first;
    for (int i = 0; i < PW; ++i) seen[i] = allowed[i];
  }
  ATTNSCOPE_UNROLL for (int v = 0; v < NV; ++v) {
    Vec x = load(s + v * W);
    if (rule.distance_bias != nullptr)
      x += load_loose(rule.distance_bias - row * rule.distance_step + first + v * W);
    if (rule.additive != nullptr) {
      const Vec added = load_loose(rule.additive + row * rule.additive_stride + first + v * W);
      x = added == -infinity ? added : x + added;
    }
    if (rule.allowed != nullptr) x = *reinterpret_cast<const IntVec*>(seen + v * W) != 0 ? x : all(-infinity);
    store(s + v * W, x);
  }
}

/// Applies soft-cap, biases and masks to one row of scores of the panel that begins at key `first`.
/// `in_interval`: the row's interval contains all keys of the panel.
ATTNSCOPE_INLINE void mark_row(const CellJob& job, int row, int first, bool in_interval, float* s) {
  const ScoreRule& rule = job.rule;
  if (rule.soft_cap != 0)
    for (int v = 0; v < NV; ++v) store(s + v * W, tanh_of(load(s + v * W) / rule.soft_cap) * rule.soft_cap);
  if (rule.distance_bias != nullptr || rule.additive != nullptr || rule.allowed != nullptr) {
    if (first + PW <= job.last_key)
      mark_panel(rule, row, first, s);
    else
      mark_keys(rule, row, first, job.last_key - first, s);
  }
  if (in_interval) return;
  IntVec key;
  for (int i = 0; i < W; ++i) key[i] = first + i;
  for (int v = 0; v < NV; ++v, key += W)
    store(s + v * W, (key >= rule.begin[row]) & (key < rule.end[row]) ? load(s + v * W) : all(-infinity));
}

/// Turns a row of scores into weights e^(x - log-sum-exp); hidden keys get exactly 0.
ATTNSCOPE_INLINE void weigh_row(const CellJob& job, int row, float* s) {
  const Vec shift = all(job.shift[row]), factor = all(job.factor[row]), c = all(job.rule.exponent);
  for (int v = 0; v < NV; ++v) {
    const Vec x = load(s + v * W);
    const Vec weight = exp2_exact(x - shift, c) * factor;
    store(s + v * W, x == -infinity ? Vec{} : weight);
  }
}

/// Adds the rows of a panel to the sums of its columns.
static void add_columns(const CellJob& job, int first, const float* s) {
  Vec sum[NV]{};
  for (int row = 0; row < job.rows; ++row)
    for (int v = 0; v < NV; ++v) sum[v] += load(s + row * PW + v * W);
  alignas(4 * W) float column[PW];
  for (int v = 0; v < NV; ++v) store(column + v * W, sum[v]);
  for (int i = 0; i < PW && first + i < job.last_key; ++i) job.column[first + i - job.first_key] += column[i];
}

/// Reads masked scores of a panel; those outside of the row's interval may be uninitialised and become -inf.
ATTNSCOPE_INLINE void read_scores(const CellJob& job, int row, int first, float* s) {
  const float* const from = job.scores + row * job.score_stride + first;
  IntVec key;
  for (int i = 0; i < W; ++i) key[i] = first + i;
  for (int v = 0; v < NV; ++v, key += W)
    store(s + v * W, (key >= job.rule.begin[row]) & (key < job.rule.end[row]) ? load_loose(from + v * W)
                                                                              : all(-infinity));
}

static void compute_cells(const CellJob& job) {
  float* queries = job.scratch;
  float* turned = queries + cell_rows * job.d_k;
  float* scores = turned + static_cast<int64_t>(cell_panels) * PW * job.d_k;
  int64_t from = 0, to = 0x7fffffff;  // the keys that all rows see
  for (int row = 0; row < job.rows; ++row) {
    for (int d = 0; d < job.d_k; ++d)
      queries[row * job.d_k + d] = job.query.data[row * job.query.stride + d] * job.rule.scale;
    if (job.rule.begin[row] > from) from = job.rule.begin[row];
    if (job.rule.end[row] < to) to = job.rule.end[row];
  }
  for (int first = job.first_key; first < job.last_key; first += PW) {
    if (job.scores != nullptr) {
      for (int row = 0; row < job.rows; ++row) read_scores(job, row, first, scores + row * PW);
    } else {
      float* keys = turned + static_cast<int64_t>(first - job.first_key) * job.d_k;
      if (!job.transposed_ready) turn_keys(job, first, keys);
      product<Keep::Store>({queries, job.d_k, 1}, job.rows, keys, job.d_k, scores, nullptr);
    }
    const int count = job.last_key - first < PW ? job.last_key - first : PW;
    for (int row = 0; row < job.rows; ++row) {
      float* s = scores + row * PW;
      if (job.kind != CellKind::Scaled && job.scores == nullptr)
        mark_row(job, row, first, from <= first && first + count <= to, s);
      if (job.kind == CellKind::Weights) weigh_row(job, row, s);
      if (job.cells != nullptr)
        memcpy(job.cells + row * job.cell_stride + (first - job.first_key), s,
               sizeof(float) * static_cast<uint64_t>(count));
    }
    if (job.column != nullptr) add_columns(job, first, scores);
  }
}

}  // namespace attnscope::streaming::ATTNSCOPE_KERNEL
