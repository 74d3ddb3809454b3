// gpu/kernels: pass 2. 64 keys of a head stay while the rows that see them walk by; weights come again from
// the scores and the row states of pass 1. Leaves the attention received (column sums, without atomic
// additions, so that two runs agree to the bit) and pictures whose cells are narrower than a tile.
#pragma once

#include "gpu/kernels/rule.hpp"

namespace attnscope::gpu {

/// The first of [from, to) for which `holds`, which holds for all after it; `to` if for none.
template <class Holds>
ATTNSCOPE_THREAD int first_that(int from, int to, Holds holds) {
  while (from < to) {
    const int middle = from + (to - from) / 2;
    if (holds(middle))
      to = middle;
    else
      from = middle + 1;
  }
  return from;
}

template <class Units, bool Plain>
struct ColumnKernel {
  using Pass = ColumnPass;
  using Walk = typename Units::ColumnWalk;
  using Scores = typename Units::Scores;
  static constexpr bool needs_matrix_units = Units::needs_matrix_units;
  static constexpr int resident = Units::resident;
  static constexpr int threads = Units::threads, warps = threads / 32;
  // A tile of weights stands behind what the walk needs. Its rows lie 72 numbers apart: half a warp then
  // writes without two threads meeting in a bank.
  static constexpr int weight_stride = tile + 8;
  static constexpr std::uint32_t weight_at = Walk::shared_bytes,
                                 shared_bytes = weight_at + tile * weight_stride * 4;

  struct Place {
    int head, first_key, split;
    int first, last;  // blocks of 64 rows that see one of the keys
  };

  ATTNSCOPE_THREAD static Place place_of(const ColumnPass& p, int item) {
    Place at;
    at.split = item % p.splits;
    at.head = item / p.splits % p.in.heads;
    at.first_key = item / p.splits / p.in.heads * tile;
    const int blocks = (p.in.rows + tile - 1) / tile, each = (blocks + p.splits - 1) / p.splits;
    const int from = smaller_of(blocks, at.split * each), to = smaller_of(blocks, from + each);
    const auto seen = [&](int block) {
      return block_interval(p.in, p.in.first_head + at.head, block * tile, tile).any;
    };
    at.first = first_that(from, to, [&](int block) { return seen(block).end > at.first_key; });
    at.last = first_that(at.first, to, [&](int block) { return seen(block).begin >= at.first_key + tile; });
    return at;
  }

  /// Scores of rows into weights; exactly 0 where a key is hidden.
  template <class Ctx>
  ATTNSCOPE_THREAD static void weigh(Ctx& cx, const ColumnPass& p, const Place& place, int block, Scores& s,
                                     float (&received)[Units::columns]) {
    const int head = p.in.first_head + place.head;
    const Interval all = block_interval(p.in, head, block * tile, tile).all;
    const bool marks = all.begin > place.first_key || all.end < place.first_key + tile || !Plain;
    ATTNSCOPE_EACH for (int r = 0; r < Units::rows; ++r) {
      const int row = block * tile + Units::row(cx.thread(), r);
      if (row >= p.in.rows) {
        ATTNSCOPE_EACH for (int c = 0; c < Units::columns; ++c) s.at(r, c) = 0;
        continue;
      }
      const RowState state = p.rows[static_cast<std::int64_t>(place.head) * p.in.rows + row];
      const float share = state.sum == 0 ? 0 : 1 / state.sum;
      const bool counts = row < p.received_rows;
      const auto weight_of = [&](float x) {
        return cx.exp2(cx.fma(x, p.in.rule.exponent, -state.shift)) * share;
      };
      if (marks) {
        const std::int64_t query = query_of(p.in, row);
        const Interval seen = interval_of(p.in, head, query);
        ATTNSCOPE_EACH for (int c = 0; c < Units::columns; ++c) {
          const float x = marked<Plain>(cx, p.in, head, query, seen,
                                        place.first_key + Units::column(cx.thread(), c), s.at(r, c));
          s.at(r, c) = x == minus_infinity ? 0 : weight_of(x);
        }
      } else {  // most tiles: all keys are seen by all rows
        ATTNSCOPE_EACH for (int c = 0; c < Units::columns; ++c) s.at(r, c) = weight_of(s.at(r, c));
      }
      if (!counts) continue;
      ATTNSCOPE_EACH for (int c = 0; c < Units::columns; ++c) received[c] += s.at(r, c);
    }
  }

  /// The tile's part of the picture. First each thread adds up what it can of one column: sums go to the
  /// first row of a run, largest ones to the second; then a warp joins runs and columns.
  template <class Ctx>
  ATTNSCOPE_THREAD static void pool(Ctx& cx, const ColumnPass& p, const Place& place, int block, Scores& s) {
    float* weights = cx.template shared<float>(weight_at);
    ATTNSCOPE_EACH for (int r = 0; r < Units::rows; ++r)
        ATTNSCOPE_EACH for (int c = 0; c < Units::columns; ++c)
            weights[Units::row(cx.thread(), r) * weight_stride + Units::column(cx.thread(), c)] = s.at(r, c);
    cx.sync();
    constexpr int own_rows = tile * tile / threads;
    const int height = p.parts.rows_per_part, run = smaller_of(height, own_rows);
    float* column = weights + cx.thread() / tile * own_rows * weight_stride + cx.thread() % tile;
    for (int row = 0; run > 1 && row < own_rows; row += run) {
      float sum = 0, most = 0;
      for (int i = 0; i < run; ++i) {
        sum += column[(row + i) * weight_stride];
        most = most_of(most, column[(row + i) * weight_stride]);
      }
      column[row * weight_stride] = sum;
      column[(row + 1) * weight_stride] = most;
    }
    cx.sync();
    for (int part = cx.thread() / 32; part < tile / height; part += warps)
      pool_part(cx, p, place, block * tile / height + part, part * height, run);
  }

  /// Row `part` of the parts, from rows [first, first + height) of the tile in runs of `run`.
  template <class Ctx>
  ATTNSCOPE_THREAD static void pool_part(Ctx& cx, const ColumnPass& p, const Place& place, int part,
                                         int first, int run) {
    const float* weights = cx.template shared<float>(weight_at);
    const int lane = cx.thread() % 32, width = p.parts.keys_per_cell, height = p.parts.rows_per_part;
    const int part_rows = (p.in.rows + height - 1) / height;
    ATTNSCOPE_EACH for (int half = 0; half < 2; ++half) {
      const int key = lane + 32 * half;
      float sum = 0, most = 0;
      for (int row = first; row < first + height; row += run) {
        sum += weights[row * weight_stride + key];
        most = most_of(most, weights[(run > 1 ? row + 1 : row) * weight_stride + key]);
      }
      for (int mask = 1; mask < width; mask *= 2) {
        sum += cx.exchange(sum, mask);
        most = most_of(most, cx.exchange(most, mask));
      }
      const int column = (place.first_key + key) / width;
      if (key % width != 0 || part >= part_rows || column >= p.parts.columns) continue;
      const std::int64_t at =
          (static_cast<std::int64_t>(place.head) * part_rows + part) * p.parts.columns + column;
      p.parts.sum[at] = sum;
      if (p.parts.most != nullptr) p.parts.most[at] = most;
    }
  }

  /// Sums over the rows from all threads that have a column, in a fixed order.
  template <class Ctx>
  ATTNSCOPE_THREAD static void finish_received(Ctx& cx, const ColumnPass& p, const Place& place,
                                               float (&received)[Units::columns]) {
    float* sums = cx.template shared<float>(weight_at);  // [warps][tile]
    ATTNSCOPE_EACH for (int c = 0; c < Units::columns; ++c) {
      float x = received[c];
      ATTNSCOPE_EACH for (int mask = Units::sharers; mask < 32; mask *= 2) x += cx.exchange(x, mask);
      if (cx.thread() % 32 < Units::sharers)
        sums[cx.thread() / 32 * tile + Units::column(cx.thread(), c)] = x;
    }
    cx.sync();
    const int key = place.first_key + cx.thread();
    if (cx.thread() < tile && key < p.in.keys) {
      float sum = 0;
      for (int warp = 0; warp < warps; ++warp) sum += sums[warp * tile + cx.thread()];
      p.received[(static_cast<std::int64_t>(place.split) * p.in.heads + place.head) * p.in.keys + key] = sum;
    }
  }

  template <class Ctx>
  ATTNSCOPE_THREAD static void run_item(Ctx& cx, const ColumnPass& p, int item) {
    using Number = typename Units::Number;
    const Place place = place_of(p, item);
    const int head = p.in.first_head + place.head, key_head = head / p.in.heads_per_key - p.in.key_from;
    const std::int64_t key = static_cast<std::int64_t>(key_head) * p.in.keys + place.first_key;
    const std::int64_t query =
        static_cast<std::int64_t>(head - p.in.query_from) * p.in.queries + p.in.first_row;

    Walk walk{};
    walk.query = static_cast<const Number*>(p.in.query) + query * Units::d;
    walk.count = p.in.rows;
    walk.last = place.last;
    walk.apart = p.in.step * Units::d;
    float received[Units::columns];
    ATTNSCOPE_EACH for (int c = 0; c < Units::columns; ++c) received[c] = 0;

    if (place.first < place.last) {
      walk.open(cx, static_cast<const Number*>(p.in.key) + key * Units::d, p.in.keys - place.first_key,
                place.first);
      for (int block = place.first; block < place.last; ++block) {
        Scores s;
        walk.scores(cx, block, s);
        weigh(cx, p, place, block, s, received);
        if (p.parts.sum != nullptr) pool(cx, p, place, block, s);
        walk.leave(cx);
      }
      walk.close(cx);
    }
    if (p.received != nullptr) finish_received(cx, p, place, received);
    cx.sync();
  }

  template <class Ctx>
  ATTNSCOPE_THREAD static void run(Ctx& cx, const ColumnPass& p) {
    for (int item = p.first_item + cx.block(); item < p.last_item; item += cx.blocks()) {
      if (p.stale.word != nullptr && cx.stale(p.stale.word, p.stale.wanted)) return;
      run_item(cx, p, item);
    }
  }
};

}  // namespace attnscope::gpu
