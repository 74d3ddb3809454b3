// gpu/kernels: pass 2. Some keys of a head stay while the rows that see them walk by; weights come again from
// the scores and the row states of pass 1. Leaves the attention received (column sums, without atomic
// additions, so that two runs agree to the bit) and pictures whose cells are narrower than a tile.
#pragma once

#include "gpu/kernels/rule.hpp"
#include "gpu/kernels/tile_walk.hpp"

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
  // Masks that are read cell by cell take more registers than three blocks leave.
  static constexpr int resident = Plain ? Units::column_resident : 2;
  static constexpr int threads = Units::threads, warps = threads / 32;
  static constexpr int key_block = Units::key_block;  // keys of an item
  // A tile of weights stands behind what the walk needs. Its rows lie 68 numbers apart: a warp then writes
  // without two threads meeting in a bank. Behind it, twice, what is known of a tile's rows.
  static constexpr int weight_stride = tile + 4;
  static constexpr std::uint32_t weight_at = Walk::shared_bytes,
                                 factor_at = weight_at + tile * weight_stride * 4,
                                 seen_at = factor_at + 2 * tile * 8, shared_bytes = seen_at + 2 * tile * 8;

  struct Place {
    int head, first_key;
    int first, last;              // blocks of 64 rows that see one of the keys
    int first_whole, last_whole;  // those of them whose rows see all keys, exist, and count as received
  };

  ATTNSCOPE_THREAD static Place place_of(const ColumnPass& p, int item) {
    Place at;
    at.head = item / p.splits % p.in.heads;
    at.first_key = item / p.splits / p.in.heads * key_block;
    const int last_key = at.first_key + key_block;
    const int blocks = (p.in.rows + tile - 1) / tile, each = (blocks + p.splits - 1) / p.splits;
    const int from = smaller_of(blocks, item % p.splits * each), to = smaller_of(blocks, from + each);
    const auto seen = [&](int block) {
      return block_interval(p.in, p.in.first_head + at.head, block * tile, tile);
    };
    at.first = first_that(from, to, [&](int block) { return seen(block).any.end > at.first_key; });
    at.last = first_that(at.first, to, [&](int block) { return seen(block).any.begin >= last_key; });
    const int whole = smaller_of(at.last * tile, smaller_of(p.in.rows, p.received_rows)) / tile;
    at.first_whole = first_that(at.first, whole, [&](int block) { return seen(block).all.end >= last_key; });
    at.last_whole =
        first_that(at.first_whole, whole, [&](int block) { return seen(block).all.begin > at.first_key; });
    return at;
  }

  ATTNSCOPE_THREAD static bool is_whole(const Place& place, int block) {
    return Plain && block >= place.first_whole && block < place.last_whole;
  }

  /// Row states of a block of rows, one for each of the first threads. They are asked for a tile before they
  /// are needed.
  ATTNSCOPE_THREAD static RowState state_of(const ColumnPass& p, const Place& place, int block, int thread) {
    const int row = block * tile + thread;
    if (thread >= tile || row >= p.in.rows) return {0, 0, 0, 0};
    const RowState* state = p.rows + static_cast<std::int64_t>(place.head) * p.in.rows + row;
    return {state->shift, state->sum, 0, 0};
  }

  /// Leaves shift and 1 / sum of each row in shared memory, and the keys that it sees if not all of them see
  /// all: rows beyond the last see none. 1 / sum is not made part of the shift: of a shift of 4000, what is
  /// rounded away would be 2e-4 of the weight.
  template <class Ctx>
  ATTNSCOPE_THREAD static void leave_factors(Ctx& cx, const ColumnPass& p, const Place& place, int block,
                                             const RowState& state) {
    if (cx.thread() >= tile) return;
    const int at = (block & 1) * tile + cx.thread(), row = block * tile + cx.thread();
    float* factor = cx.template shared<float>(factor_at) + 2 * at;
    factor[0] = state.shift;
    factor[1] = state.sum == 0 ? 0 : 1 / state.sum;
    if (is_whole(place, block)) return;
    const Interval all = interval_of(p.in, p.in.first_head + place.head, query_of(p.in, row));
    int* seen = cx.template shared<int>(seen_at) + 2 * at;
    seen[0] = all.begin;
    seen[1] = row < p.in.rows ? all.end : all.begin;
  }

  /// Scores of a tile that is seen whole into what keys receive and, Pictured, into weights.
  template <bool Pictured, class Ctx>
  ATTNSCOPE_THREAD static void weigh_whole(Ctx& cx, const ColumnPass& p, int block, Scores& s,
                                           float (&received)[Units::columns]) {
    const float* factors = cx.template shared<float>(factor_at) + 2 * (block & 1) * tile;
    ATTNSCOPE_EACH for (int r = 0; r < Units::rows; r += 2) {
      float of[4];  // of two neighbours
      cx.read4(of, factors + 2 * Units::row(cx.thread(), r));
      ATTNSCOPE_EACH for (int i = 0; i < 2; ++i) ATTNSCOPE_EACH for (int c = 0; c < Units::columns; ++c) {
        const float x = cx.exp2(cx.fma(s.at(r + i, c), p.in.rule.exponent, -of[2 * i]));
        received[c] = cx.fma(x, of[2 * i + 1], received[c]);
        if (Pictured) s.at(r + i, c) = x * of[2 * i + 1];
      }
    }
  }

  /// The same of any tile, always into weights; exactly 0 where a key is hidden.
  template <class Ctx>
  ATTNSCOPE_THREAD static void weigh(Ctx& cx, const ColumnPass& p, const Place& place, int block, Scores& s,
                                     float (&received)[Units::columns]) {
    const int stage = (block & 1) * tile;
    const float* factors = cx.template shared<float>(factor_at) + 2 * stage;
    const int* intervals = cx.template shared<int>(seen_at) + 2 * stage;
    ATTNSCOPE_EACH for (int r = 0; r < Units::rows; ++r) {
      const int in_tile = Units::row(cx.thread(), r), row = block * tile + in_tile;
      const std::int64_t query = query_of(p.in, row);
      const Interval seen{intervals[2 * in_tile], intervals[2 * in_tile + 1]};
      const float shift = factors[2 * in_tile], share = factors[2 * in_tile + 1];
      const bool counts = row < p.received_rows;
      ATTNSCOPE_EACH for (int c = 0; c < Units::columns; ++c) {
        const int key = place.first_key + Units::column(cx.thread(), c);
        const float score =
            marked<Plain>(cx, p.in, p.in.first_head + place.head, query, seen, key, s.at(r, c));
        const float weight =
            score == minus_infinity ? 0 : cx.exp2(cx.fma(score, p.in.rule.exponent, -shift)) * share;
        if (counts) received[c] += weight;
        s.at(r, c) = weight;
      }
    }
  }

  /// The tile's part of the picture, of 64 keys from `first_key` on. First each thread adds up what it can of
  /// one column: sums go to the first row of a run, largest ones to the second; then a warp joins runs and
  /// columns.
  template <class Ctx>
  ATTNSCOPE_THREAD static void pool(Ctx& cx, const ColumnPass& p, const Place& place, int block,
                                    int first_key, Scores& s) {
    float* weights = cx.template shared<float>(weight_at);
    const int from = first_key - place.first_key;
    if (Units::column(cx.thread(), 0) / tile == from / tile)
      ATTNSCOPE_EACH for (int r = 0; r < Units::rows; ++r)
          ATTNSCOPE_EACH for (int c = 0; c < Units::columns; ++c)
              weights[Units::row(cx.thread(), r) * weight_stride + Units::column(cx.thread(), c) - from] =
                  s.at(r, c);
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
      pool_part(cx, p, place, first_key, block * tile / height + part, part * height, run);
  }

  /// Row `part` of the parts, from rows [first, first + height) of the tile in runs of `run`.
  template <class Ctx>
  ATTNSCOPE_THREAD static void pool_part(Ctx& cx, const ColumnPass& p, const Place& place, int first_key,
                                         int part, int first, int run) {
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
      const int column = (first_key + key) / width;
      if (key % width != 0 || part >= part_rows || column >= p.parts.columns) continue;
      const std::int64_t at =
          (static_cast<std::int64_t>(place.head) * part_rows + part) * p.parts.columns + column;
      p.parts.sum[at] = sum;
      if (p.parts.most != nullptr) p.parts.most[at] = most;
    }
  }

  /// Sums over the rows from all threads that have a column, in a fixed order.
  template <class Ctx>
  ATTNSCOPE_THREAD static void finish_received(Ctx& cx, const ColumnPass& p, int item, const Place& place,
                                               float (&received)[Units::columns]) {
    float* sums = cx.template shared<float>(weight_at);  // [column_warps][key_block]
    ATTNSCOPE_EACH for (int c = 0; c < Units::columns; ++c) {
      float x = received[c];
      ATTNSCOPE_EACH for (int mask = Units::lanes_from; mask < Units::lanes_to; mask *= 2) x +=
          cx.exchange(x, mask);
      if ((cx.thread() & (Units::lanes_to - Units::lanes_from)) == 0)
        sums[cx.thread() / 32 % Units::column_warps * key_block + Units::column(cx.thread(), c)] = x;
    }
    cx.sync();
    const int key = place.first_key + cx.thread();
    if (cx.thread() < key_block && key < p.in.keys) {
      float sum = 0;
      for (int warp = 0; warp < Units::column_warps; ++warp) sum += sums[warp * key_block + cx.thread()];
      p.received[(static_cast<std::int64_t>(item % p.splits) * p.in.heads + place.head) * p.in.keys + key] =
          sum;
    }
  }

  template <class Ctx>
  ATTNSCOPE_THREAD static void walk_rows(Ctx& cx, const ColumnPass& p, const Place& place, Walk& walk,
                                         const typename Units::Number* key,
                                         float (&received)[Units::columns]) {
    leave_factors(cx, p, place, place.first, state_of(p, place, place.first, cx.thread()));
    walk.open(cx, key, p.in.keys - place.first_key, place.first);
    for (int block = place.first; block < place.last; ++block) {
      const RowState next = state_of(p, place, block + 1, cx.thread());
      Scores s;
      walk.scores(cx, block, s);
      if (!is_whole(place, block))
        weigh(cx, p, place, block, s, received);
      else if (p.parts.sum != nullptr)
        weigh_whole<true>(cx, p, block, s, received);
      else
        weigh_whole<false>(cx, p, block, s, received);
      leave_factors(cx, p, place, block + 1, next);
      if (p.parts.sum != nullptr)
        for (int first = place.first_key; first < place.first_key + key_block; first += tile) {
          if (first > place.first_key) cx.sync();
          pool(cx, p, place, block, first, s);
        }
      walk.leave(cx);
    }
    walk.close(cx);
  }

  template <class Ctx>
  ATTNSCOPE_THREAD static void run_item(Ctx& cx, const ColumnPass& p, int item, Asked& asked) {
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
    asked.ask(cx, p.stale);
    if (place.first < place.last)
      walk_rows(cx, p, place, walk, static_cast<const Number*>(p.in.key) + key * Units::d, received);
    if (p.received != nullptr) finish_received(cx, p, item, place, received);
    cx.sync();
  }

  template <class Ctx>
  ATTNSCOPE_THREAD static void run(Ctx& cx, const ColumnPass& p) {
    Asked asked;
    asked.ask(cx, p.stale);
    for (int item = p.first_item + cx.block(); item < p.last_item; item += cx.blocks()) {
      if (asked.is_stale(cx, p.stale)) return;
      run_item(cx, p, item, asked);
    }
  }
};

}  // namespace attnscope::gpu
