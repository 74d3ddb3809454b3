// gpu/kernels: pass 1. Some rows of a head walk over the keys they see and leave output, row states,
// strongest keys and the picture. Online softmax (Milakov and Gimelshein 2018; Dao et al. 2022) in powers of
// two, y = exponent · score, with the centred entropy sum Σ (y - m) 2^(y - m): at an offset of 3000 its error
// stays 1e-5. The picture costs no exponentials: sums and largest scores that the softmax forms anyway are
// kept for each row and cell, and become weights when the row's sum is known.
#pragma once

#include "gpu/kernels/rule.hpp"
#include "gpu/kernels/tile_walk.hpp"

namespace attnscope::gpu {

/// What one thread knows of its rows. The shift is the rounded exponent · most, and everything is relative to
/// the rounded number, so that the rounding cancels.
template <class Units>
struct Softmax {
  float most[Units::rows], shift[Units::rows], sum[Units::rows], moment[Units::rows];
  float cell_most[Units::rows], cell_sum[Units::rows];  // since the picture's cell began
  int strongest[Units::rows];                           // among this thread's columns

  ATTNSCOPE_THREAD void begin() {
    ATTNSCOPE_EACH for (int r = 0; r < Units::rows; ++r) {
      most[r] = cell_most[r] = minus_infinity;
      shift[r] = sum[r] = moment[r] = cell_sum[r] = 0;
      strongest[r] = no_key;
    }
  }
};

template <class Units, class Ctx, class T, class Join>
ATTNSCOPE_THREAD T joined_row(Ctx& cx, T x, Join join) {
  ATTNSCOPE_EACH for (int mask = 1; mask < Units::sharers; mask *= 2) x = join(x, cx.exchange(x, mask));
  return x;
}

/// Plain: scores are as they come but for the interval of keys. Without Entropy moments are anything.
template <class Units, bool Plain, bool Entropy = true>
struct RowKernel {
  using Pass = RowPass;
  using Walk = typename Units::Walk;
  using Scores = typename Units::Scores;
  using Outputs = typename Units::Outputs;
  static constexpr bool needs_matrix_units = Units::needs_matrix_units;
  static constexpr int resident = Units::resident;
  static constexpr int threads = Units::threads;
  static constexpr int row_block = Units::row_block, key_tile = Units::key_tile;  // of an item; of a step
  static constexpr std::uint32_t shared_bytes = Walk::shared_bytes;

  /// Which rows and keys this block is at.
  struct Place {
    int item, head, first_row;  // head: of the request
    std::int64_t at;            // of the first row among [H][R]
    Interval any, all;
    ATTNSCOPE_THREAD int rows(const RowPass& p) const { return smaller_of(row_block, p.in.rows - first_row); }
  };

  ATTNSCOPE_THREAD static Place place_of(const RowPass& p, int item) {
    const int blocks = (p.in.rows + row_block - 1) / row_block;
    Place at;
    at.item = item;
    at.head = item % p.in.heads;
    at.first_row =
        (blocks - 1 - item / p.in.heads) * row_block;  // later rows see more keys when the mask is causal
    at.at = static_cast<std::int64_t>(at.head) * p.in.rows + at.first_row;
    const BlockInterval interval = block_interval(p.in, p.in.first_head + at.head, at.first_row, row_block);
    at.any = interval.any;
    at.all = interval.all;
    return at;
  }

  /// Scale, cap, biases and masks on the scores of tile t; whether there was anything to do.
  template <class Ctx>
  ATTNSCOPE_THREAD static bool mark(Ctx& cx, const RowPass& p, const Place& place, int t, Scores& s) {
    const bool inside = place.all.begin <= t * key_tile && t * key_tile + key_tile <= place.all.end;
    if (inside && Plain) return false;
    const int head = p.in.first_head + place.head;
    ATTNSCOPE_EACH for (int r = 0; r < Units::rows; ++r) {
      const std::int64_t query = query_of(p.in, place.first_row + Units::row(cx.thread(), r));
      const Interval seen = interval_of(p.in, head, query);
      ATTNSCOPE_EACH for (int c = 0; c < Units::columns; ++c) s.at(r, c) = marked<Plain>(
          cx, p.in, head, query, seen, t * key_tile + Units::column(cx.thread(), c), s.at(r, c));
    }
    return true;
  }

  /// A row's new largest score: what was summed so far shrinks, outputs or what stands for them.
  template <class Ctx, class Shrinking>
  ATTNSCOPE_THREAD static void raise(Ctx& cx, const RowPass& p, int t, Scores& s, int r, float most,
                                     Softmax<Units>& state, Shrinking& o) {
    const float shift = most * p.in.rule.exponent, down = state.shift[r] - shift;
    const float shrink = state.most[r] == minus_infinity ? 0 : cx.exp2(down);
    state.moment[r] = state.sum[r] == 0 ? 0 : shrink * cx.fma(state.sum[r], down, state.moment[r]);
    state.sum[r] *= shrink;
    state.cell_sum[r] *= shrink;
    ATTNSCOPE_EACH for (int i = 0; i < Shrinking::depth; ++i) o.at(r, i) *= shrink;
    state.most[r] = most;
    state.shift[r] = shift;
    if (p.strongest == nullptr) return;
    state.strongest[r] = no_key;
    ATTNSCOPE_EACH for (int c = Units::columns - 1; c >= 0; --c) if (s.at(r, c) == most) state.strongest[r] =
        t * key_tile + Units::column(cx.thread(), c);
  }

  /// Scores of row r into 2^(y - shift), and what they add up to. Marks: some may be hidden.
  template <bool Marks, class Ctx>
  ATTNSCOPE_THREAD static void absorb_row(Ctx& cx, const RowPass& p, Scores& s, int r,
                                          Softmax<Units>& state) {
    float sum = 0;
    ATTNSCOPE_EACH for (int c = 0; c < Units::columns; ++c) {
      const float down = cx.fma(s.at(r, c), p.in.rule.exponent, -state.shift[r]), weight = cx.exp2(down);
      sum += weight;
      // A hidden key's would be 0 · -inf.
      if (Entropy && (!Marks || weight > 0)) state.moment[r] = cx.fma(weight, down, state.moment[r]);
      s.at(r, c) = weight;
    }
    state.sum[r] += sum;
    state.cell_sum[r] += sum;
  }

  /// Scores of tile t into the state of their rows, and into weights.
  template <class Ctx, class Shrinking>
  ATTNSCOPE_THREAD static void absorb(Ctx& cx, const RowPass& p, int t, bool marks, Scores& s,
                                      Softmax<Units>& state, Shrinking& o) {
    float most[Units::rows];
    ATTNSCOPE_EACH for (int r = 0; r < Units::rows; ++r) {
      most[r] = s.at(r, 0);
      ATTNSCOPE_EACH for (int c = 1; c < Units::columns; ++c) most[r] = most_of(most[r], s.at(r, c));
      state.cell_most[r] = most_of(state.cell_most[r], most[r]);
      most[r] = joined_row<Units>(cx, most[r], [](float a, float b) { return most_of(a, b); });
    }
    ATTNSCOPE_EACH for (int r = 0; r < Units::rows; ++r) if (most[r] > state.most[r])
        raise(cx, p, t, s, r, most[r], state, o);
    if (marks)
      ATTNSCOPE_EACH for (int r = 0; r < Units::rows; ++r) absorb_row<true>(cx, p, s, r, state);
    else
      ATTNSCOPE_EACH for (int r = 0; r < Units::rows; ++r) absorb_row<false>(cx, p, s, r, state);
  }

  /// The picture's cell that ends with the tile: sum, the shift it is relative to, largest score;
  /// [3][row_block].
  template <class Ctx>
  ATTNSCOPE_THREAD static void close_cell(Ctx& cx, const RowPass& p, int column, Softmax<Units>& state) {
    float* cell = own_scratch(cx, p) + static_cast<std::int64_t>(column) * 3 * row_block;
    ATTNSCOPE_EACH for (int r = 0; r < Units::rows; ++r) {
      const float sum = joined_row<Units>(cx, state.cell_sum[r], [](float a, float b) { return a + b; });
      const float most =
          joined_row<Units>(cx, state.cell_most[r], [](float a, float b) { return most_of(a, b); });
      if (cx.thread() % Units::sharers == 0) {
        const int row = Units::row(cx.thread(), r);
        cell[row] = sum;
        cell[row_block + row] = state.shift[r];
        cell[2 * row_block + row] = most;
      }
      state.cell_sum[r] = 0;
      state.cell_most[r] = minus_infinity;
    }
  }
  template <class Ctx>
  ATTNSCOPE_THREAD static float* own_scratch(Ctx& cx, const RowPass& p) {
    return p.scratch + static_cast<std::int64_t>(cx.block()) * p.parts.columns * 3 * row_block;
  }

  /// Output and row states; leaves shift and 1 / sum of each row in shared memory.
  template <class Ctx>
  ATTNSCOPE_THREAD static void finish_rows(Ctx& cx, const RowPass& p, const Place& place,
                                           Softmax<Units>& state, Outputs& o) {
    float* factors = cx.template shared<float>(0);
    ATTNSCOPE_EACH for (int r = 0; r < Units::rows; ++r) {
      const auto add = [](float a, float b) { return a + b; };
      const float sum = joined_row<Units>(cx, state.sum[r], add),
                  moment = joined_row<Units>(cx, state.moment[r], add);
      const int first =
          joined_row<Units>(cx, state.strongest[r], [](int a, int b) { return smaller_of(a, b); });
      const int row = Units::row(cx.thread(), r);
      const float share = sum == 0 ? 0 : 1 / sum;
      if (cx.thread() % Units::sharers == 0) {
        factors[row] = state.shift[r];
        factors[row_block + row] = share;
      }
      if (row >= place.rows(p)) continue;
      const std::int64_t at = place.at + row;
      if (cx.thread() % Units::sharers == 0) {
        p.rows[at] = {state.shift[r], sum, moment, state.most[r]};
        if (p.strongest != nullptr) p.strongest[at] = first;
      }
      if (p.output == nullptr) continue;
      ATTNSCOPE_EACH for (int i = 0; i < Units::depth; ++i) {
        const int place_in_row = Units::place(cx.thread(), i);
        if (place_in_row < p.d_v) p.output[at * p.d_v + place_in_row] = o.at(r, i) * share;
      }
    }
    cx.sync();
  }

  /// The scratch's sums and largest scores into weights and over the rows of a part: a warp for each cell,
  /// two rows a lane or four. Tiles [first, last) were walked.
  template <class Ctx>
  ATTNSCOPE_THREAD static void pool(Ctx& cx, const RowPass& p, const Place& place, int first, int last) {
    const float* factors = cx.template shared<float>(0);
    const int per_cell = p.parts.keys_per_cell / key_tile, lane = cx.thread() % 32;
    const int height = p.parts.rows_per_part, in_warp = smaller_of(height, 32);
    const int part_rows = (p.in.rows + height - 1) / height;
    for (int cell = cx.thread() / 32; cell < p.parts.columns; cell += threads / 32) {
      const float* from = own_scratch(cx, p) + static_cast<std::int64_t>(cell) * 3 * row_block;
      const bool reached = cell * per_cell < last && (cell + 1) * per_cell > first;
      constexpr int groups = row_block / 32;
      float sum[groups], most[groups];
      ATTNSCOPE_EACH for (int group = 0; group < groups; ++group) {
        const int row = lane + 32 * group;
        sum[group] = most[group] = 0;
        if (reached && row < place.rows(p)) {
          const float shift = factors[row], share = factors[row_block + row], was = from[row];
          sum[group] = was == 0 ? 0 : was * cx.exp2(from[row_block + row] - shift) * share;
          most[group] = cx.exp2(cx.fma(from[2 * row_block + row], p.in.rule.exponent, -shift)) * share;
        }
        for (int mask = 1; mask < in_warp; mask *= 2) {
          sum[group] += cx.exchange(sum[group], mask);
          most[group] = most_of(most[group], cx.exchange(most[group], mask));
        }
      }
      ATTNSCOPE_EACH for (int group = 0; group < groups; ++group) {
        if (height > 32 && group % 2 == 0) {
          sum[group] += sum[group + 1];
          most[group] = most_of(most[group], most[group + 1]);
        }
        const int row = place.first_row + lane + 32 * group;
        if (lane % in_warp != 0 || row >= p.in.rows || group * 32 % height != 0) continue;
        const std::int64_t at =
            (static_cast<std::int64_t>(place.head) * part_rows + row / height) * p.parts.columns + cell;
        p.parts.sum[at] = sum[group];
        p.parts.most[at] = most[group];
      }
    }
    cx.sync();
  }

  template <class Ctx>
  ATTNSCOPE_THREAD static void run_item(Ctx& cx, const RowPass& p, int item, Asked& asked) {
    using Number = typename Units::Number;
    const Place place = place_of(p, item);
    const int head = p.in.first_head + place.head, key_head = head / p.in.heads_per_key - p.in.key_from;
    const std::int64_t keys_at = static_cast<std::int64_t>(key_head) * p.in.keys * Units::d;
    const std::int64_t query =
        static_cast<std::int64_t>(head - p.in.query_from) * p.in.queries + query_of(p.in, place.first_row);
    const int first = place.any.begin / key_tile, last = (place.any.end + key_tile - 1) / key_tile;

    Walk walk{};
    walk.key = static_cast<const Number*>(p.in.key) + keys_at;
    walk.value = p.output == nullptr ? nullptr : static_cast<const Number*>(p.in.value) + keys_at;
    walk.keys = p.in.keys;
    walk.last = last;
    Softmax<Units> state;
    state.begin();
    Outputs o;
    ATTNSCOPE_EACH for (int r = 0; r < Units::rows; ++r) ATTNSCOPE_EACH for (int i = 0; i < Units::depth; ++i)
        o.at(r, i) = 0;

    walk.open(cx, static_cast<const Number*>(p.in.query) + query * Units::d, p.in.step * Units::d,
              place.rows(p), first);
    const int per_cell = p.parts.sum == nullptr ? 1 : p.parts.keys_per_cell / key_tile;
    int cell = first / per_cell;
    for (int t = first; t < last; ++t) {
      Scores s;
      walk.scores(cx, t, s);
      const bool marks = mark(cx, p, place, t, s);
      absorb(cx, p, t, marks, s, state, o);
      if (p.output != nullptr) walk.mix_in(cx, t, s, o);
      if (p.parts.sum != nullptr &&
          ((((t + 1) * key_tile) & (p.parts.keys_per_cell - 1)) == 0 || t + 1 == last))
        close_cell(cx, p, cell++, state);
      walk.leave(cx);
    }
    walk.close(cx);
    asked.ask(cx, p.stale);  // not before: registers are free now
    finish_rows(cx, p, place, state, o);
    if (p.parts.sum != nullptr)
      pool(cx, p, place, first, last);
    else
      cx.sync();
  }

  template <class Ctx>
  ATTNSCOPE_THREAD static void run(Ctx& cx, const RowPass& p) {
    Asked asked;
    asked.ask(cx, p.stale);
    for (int item = p.first_item + cx.block(); item < p.last_item; item += cx.blocks()) {
      if (asked.is_stale(cx, p.stale)) return;
      run_item(cx, p, item, asked);
    }
  }
};

}  // namespace attnscope::gpu
