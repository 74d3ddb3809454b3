// core/streaming/kernels: sweeps one tile of queries over its keys; lanes = queries. S^T = K·Q^T and O^T +=
// V^T·P^T read K and V in place; largest value, sum, entropy and the picture's sums need no shuffles. Online
// softmax (Milakov and Gimelshein 2018; Dao et al. 2022) with the centred entropy H = ln l - u/l, u = Σ (x -
// m) e^(x - m). Included by the kernels only, see lanes.hpp.
#pragma once

#include "core/streaming/kernels/kernels.hpp"
#include "core/streaming/kernels/marks.hpp"
#include "core/streaming/kernels/pooling.hpp"

namespace attnscope::streaming::ATTNSCOPE_KERNEL {

/// Sums of e^(x - m) and of (x - m) e^(x - m) over one block of keys.
struct BlockSums {
  Vec sum[NV], moment[NV];
};

/// A row's running m, l and u.
struct RowSums {
  Vec largest, sum, moment;
};
/// Adds a block's sums, relative to the new largest score, to the earlier ones, whose largest was `before`;
/// returns the factor by which the earlier ones shrink.
ATTNSCOPE_INLINE Vec join_block(float exponent, Vec before, Vec sum, Vec moment, RowSums& rows) {
  const Vec c = all(exponent), least = all(least_exponent / exponent);
  Vec down = before - rows.largest;
  down = least > down ? least : down;
  const Vec shrink = exp2_product(down, c);
  rows.moment = multiply_add(shrink, multiply_add(down, rows.sum, rows.moment), moment);
  rows.sum = multiply_add(shrink, rows.sum, sum);
  return shrink;
}

/// Log-sum-exp, entropy and largest weight of row `at` of the job after all keys; returns the divisor of its
/// weights, 0 without any key.
ATTNSCOPE_INLINE float finish_row(const SweepJob& job, int at, float largest, float row_sum, float moment) {
  const double temperature = job.rule.temperature;
  const double sum = static_cast<double>(row_sum), log_sum = __builtin_log(sum);
  const bool empty = row_sum == 0;
  const double m = static_cast<double>(largest), u = static_cast<double>(moment);
  const double sink = static_cast<double>(job.rule.sink), top = sink > m ? sink : m;
  const double down = empty ? 0 : __builtin_exp((m - top) / temperature);  // 1 without a sink
  const double all_sum = sum * down + (empty ? 1 : __builtin_exp((sink - top) / temperature));
  job.log_sum_exp[at] = empty ? sink / temperature : top / temperature + __builtin_log(all_sum);
  const double entropy = log_sum - u / temperature / sum;
  job.entropy[at] = empty ? 0 : static_cast<float>(entropy < 0 ? 0 : entropy);
  job.largest[at] = empty ? 0 : static_cast<float>(down / all_sum);
  return empty ? 0 : static_cast<float>(all_sum / down);
}
/// The factor of weights: 0 without any key.
ATTNSCOPE_INLINE Vec share_of(Vec sum) { return sum == 0.0f ? Vec{} : 1.0f / sum; }

/// Turns `count` rows of scores into e^(x - m), two vectors of lanes at a time. Marked: some are -inf, whose
/// weight is exactly 0. Unit > 0: sums and largest weights of every Unit rows go to unit_sum and unit_max;
/// the row's own sums have the same bits with and without them.
template <bool Marked, int Unit>
ATTNSCOPE_INLINE void exponentials(const Panel& p, float exponent, float* s, int count, float* unit_sum,
                                   float* unit_max, BlockSums& sums) {
  const Vec c = all(exponent), least = all(least_exponent / exponent);
  constexpr int run = Unit == 0 ? 1 : Unit;
  for (int v = 0; v < NV; v += 2) {
    const Vec m0 = load(p.largest + v * W), m1 = load(p.largest + (v + 1) * W);
    Vec l0{}, l1{}, u0{}, u1{};
    float* at = s + v * W;
    float *cell_sum = unit_sum + v * W, *cell_max = unit_max + v * W;
    for (int k = 0; k < count; k += run) {
      Vec s0{}, s1{}, x0{}, x1{};
      const auto one = [&]() __attribute__((always_inline)) {
        const Vec raw0 = load(at), raw1 = load(at + W);
        Vec d0 = raw0 - m0, d1 = raw1 - m1;
        d0 = least > d0 ? least : d0;
        d1 = least > d1 ? least : d1;
        Vec e0 = exp2_product(d0, c), e1 = exp2_product(d1, c);
        if constexpr (Marked) {
          e0 = raw0 == -infinity ? Vec{} : e0;
          e1 = raw1 == -infinity ? Vec{} : e1;
        }
        store(at, e0);
        store(at + W, e1);
        u0 = multiply_add(d0, e0, u0);
        u1 = multiply_add(d1, e1, u1);
        if constexpr (Unit > 1) {
          s0 += e0;
          s1 += e1;
          x0 = larger(e0, x0);
          x1 = larger(e1, x1);
        }
        l0 += e0;
        l1 += e1;
        at += PW;
      };
      if constexpr (Unit <= 8) {
        ATTNSCOPE_UNROLL for (int i = 0; i < run; ++i) one();
      } else {
        for (int i = 0; i < run; ++i) one();
      }
      if constexpr (Unit > 1) {
        store(cell_sum, s0);
        store(cell_sum + W, s1);
        store(cell_max, x0);
        store(cell_max + W, x1);
        cell_sum += PW;
        cell_max += PW;
      }
    }
    sums.sum[v] += l0;
    sums.sum[v + 1] += l1;
    sums.moment[v] += u0;
    sums.moment[v + 1] += u1;
  }
}

/// The last keys, which do not fill a unit.
static void last_unit(const Panel& p, float exponent, float* s, int count, float* unit_sum, float* unit_max,
                      BlockSums& sums) {
  const Vec c = all(exponent), least = all(least_exponent / exponent);
  for (int v = 0; v < NV; ++v) {
    Vec s0{}, x0{}, l0 = sums.sum[v], u0 = sums.moment[v];
    for (int k = 0; k < count; ++k) {
      float* at = s + k * PW + v * W;
      const Vec raw = load(at);
      Vec d = raw - load(p.largest + v * W);
      d = least > d ? least : d;
      const Vec e = raw == -infinity ? Vec{} : exp2_product(d, c);
      store(at, e);
      s0 += e;
      l0 += e;
      u0 = multiply_add(d, e, u0);
      x0 = larger(e, x0);
    }
    store(unit_sum + v * W, s0);
    store(unit_max + v * W, x0);
    sums.sum[v] = l0;
    sums.moment[v] = u0;
  }
}

/// A block; it begins with a unit.
template <int Unit>
static void exponentials_in_units(const Panel& p, float exponent, const Block& b, bool marked,
                                  BlockSums& sums) {
  const int count = b.last - b.first, whole = count / Unit * Unit;
  const auto room = [&](float* units, int key) { return units + static_cast<int64_t>(key / Unit) * PW; };
  float *sum = room(p.unit_sum, b.first), *most = room(p.unit_max, b.first);
  if (marked)
    exponentials<true, Unit>(p, exponent, b.scores, whole, sum, most, sums);
  else
    exponentials<false, Unit>(p, exponent, b.scores, whole, sum, most, sums);
  if (whole == count) return;
  last_unit(p, exponent, b.scores + whole * PW, count - whole, room(p.unit_sum, b.first + whole),
            room(p.unit_max, b.first + whole), sums);
}

static void exponentials_of(const Panel& p, float exponent, const Block& b, int unit, bool marked,
                            BlockSums& sums) {
  const int count = b.last - b.first;
  switch (unit) {
    case 0:
    case 1:
      if (marked)
        exponentials<true, 0>(p, exponent, b.scores, count, b.scores, b.scores, sums);
      else
        exponentials<false, 0>(p, exponent, b.scores, count, b.scores, b.scores, sums);
      return;
    case 2: return exponentials_in_units<2>(p, exponent, b, marked, sums);
    case 4: return exponentials_in_units<4>(p, exponent, b, marked, sums);
    case 8: return exponentials_in_units<8>(p, exponent, b, marked, sums);
    case 16: return exponentials_in_units<16>(p, exponent, b, marked, sums);
    case 32: return exponentials_in_units<32>(p, exponent, b, marked, sums);
    default: return exponentials_in_units<64>(p, exponent, b, marked, sums);
  }
}

/// Updates the key of each lane's largest value: the first key that reaches it, if this block raised it.
static void find_strongest(Panel& p, const Block& b, const Vec* before) {
  for (int v = 0; v < NV; ++v) {
    const Vec now = load(p.largest + v * W);
    const IntVec rose = now > before[v];
    bool any = false;
    for (int i = 0; i < W; ++i) any |= rose[i] != 0;
    if (!any) continue;
    IntVec found = *reinterpret_cast<IntVec*>(p.strongest + v * W);
    for (int k = b.last - 1; k >= b.first; --k) {
      const IntVec here = load(b.scores + (k - b.first) * PW + v * W) == now;
      found = (here & rose) != 0 ? all(k) : found;
    }
    *reinterpret_cast<IntVec*>(p.strongest + v * W) = found;
  }
}

/// Clears the picture's units of keys [first, last) of one block, which are hidden from the whole panel.
static void clear_units(Panel& p, int unit, int first, int last) {
  if (unit == 0 || first >= last) return;
  const int64_t from = first / unit, count = (last + unit - 1) / unit - from;
  memset(p.unit_sum + from * PW, 0, sizeof(float) * static_cast<uint64_t>(count) * PW);
  memset(p.unit_max + from * PW, 0, sizeof(float) * static_cast<uint64_t>(count) * PW);
}

/// The keys of [first, last) in one block that any row of the panel sees; in whole units, see set_up_panel.
static Passing seen_keys(const SweepJob& job, Panel& p, int first, int last) {
  const int unit = unit_of(job);
  Passing keys = passing_keys(job.rule, p, first, last);
  if (keys.first < keys.last) {
    if (unit > 1) {
      keys.first = keys.first / unit * unit;
      keys.last = (keys.last + unit - 1) / unit * unit;
      keys.last = keys.last < last ? keys.last : last;
    }
  } else {
    keys.first = keys.last = last;
  }
  clear_units(p, unit, first, keys.first);
  clear_units(p, unit, keys.last, last);
  return keys;
}

/// Sweeps one panel over the keys of one block.
static void sweep_block(const SweepJob& job, const Operands& operands, Panel& p, int block, int first,
                        int last, float* scores) {
  const int unit = unit_of(job);
  const Passing keys = seen_keys(job, p, first, last);
  first = keys.first, last = keys.last;
  if (first == last) {
    if (unit != 0) memcpy(p.block_largest + static_cast<int64_t>(block) * PW, p.largest, sizeof(float) * PW);
    return;
  }
  const bool plain = keys.plain;
  if (unit == 1) scores = p.unit_sum + static_cast<int64_t>(first) * PW;
  const Block b{first, last, scores};
  Vec before[NV];
  ATTNSCOPE_UNROLL for (int v = 0; v < NV; ++v) before[v] = load(p.largest + v * W);
  const int skip = first - block * BK, count = last - first;
  MaskAhead ahead(job.rule, p, (block + 1) * BK);
  const auto fetch = [&] { ahead.fetch(); };
  if (plain) {
    multiply_keys<Keep::StoreMax>(operands, skip, count, p.query, job.d_k, scores, p.largest, fetch);
  } else {
    multiply_keys<Keep::Store>(operands, skip, count, p.query, job.d_k, scores, nullptr, fetch);
    mark_scores(job.rule, p, b);
  }
  if (job.strongest != nullptr) find_strongest(p, b, before);
  BlockSums sums{};
  exponentials_of(p, job.rule.exponent, b, unit, !plain, sums);
  ATTNSCOPE_UNROLL for (int v = 0; v < NV; ++v) {
    RowSums rows{load(p.largest + v * W), load(p.sum + v * W), load(p.moment + v * W)};
    store(p.shrink + v * W, join_block(job.rule.exponent, before[v], sums.sum[v], sums.moment[v], rows));
    store(p.moment + v * W, rows.moment);
    store(p.sum + v * W, rows.sum);
    if (unit != 0) store(p.block_largest + static_cast<int64_t>(block) * PW + v * W, rows.largest);
  }
  if (job.output == nullptr) return;
  multiply_values(operands, skip, count, scores, job.d_v, p.output, p.shrink);
}

/// Log-sum-exp, entropy, largest weight and output of a panel after all keys.
static void finish_panel(const SweepJob& job, Panel& p) {
  for (int row = 0; row < p.rows; ++row) {
    const int lane = lane_of(row);
    p.sum[lane] = finish_row(job, p.first_row + row, p.largest[lane], p.sum[lane], p.moment[lane]);
    if (job.strongest != nullptr)
      job.strongest[p.first_row + row] = p.sum[lane] == 0 ? -1 : p.strongest[lane];
  }
  ATTNSCOPE_UNROLL for (int v = 0; v < NV; ++v) store(p.sum + v * W, share_of(load(p.sum + v * W)));
  if (job.output != nullptr) write_output(job, p);
  if (unit_of(job) != 0) pool_panel(job, p);
}

static int64_t sweep_scratch(int panels, int d_k, int d_v, int keys, int keys_per_cell) {
  return BK * PW + panels * panel_scratch(d_k, d_v, keys, keys_per_cell);
}

static bool sweep_tile(const SweepJob& job) {
  const int panels = (job.rows + PW - 1) / PW;
  float* scores = job.scratch;
  float* room = scores + BK * PW;
  constexpr int most_panels = 8;
  Panel panel[most_panels];
  int low = job.keys, high = 0;
  for (int i = 0; i < panels; ++i) {
    room = set_up_panel(job, i * PW, room, panel[i]);
    low = panel[i].low < low ? panel[i].low : low;
    high = panel[i].high > high ? panel[i].high : high;
  }
  for (int block = low / BK; block * BK < high; ++block) {
    if (job.stop.asked != nullptr && job.stop.asked(job.stop.self)) return false;
    const Operands operands = operands_from(job, block * BK);
    for (int i = 0; i < panels; ++i) {
      Panel& p = panel[i];
      const int first = p.low > block * BK ? p.low : block * BK;
      const int last = p.high < (block + 1) * BK ? p.high : (block + 1) * BK;
      if (first < last) sweep_block(job, operands, p, block, first, last, scores);
    }
  }
  for (int i = 0; i < panels; ++i) finish_panel(job, panel[i]);
  return true;
}

}  // namespace attnscope::streaming::ATTNSCOPE_KERNEL
