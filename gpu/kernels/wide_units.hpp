// gpu/kernels: 128 rows of scores at a time and their product with values on matrix units, for pass 1. Each
// warp has 32 rows, so that what it reads of keys and values from shared memory serves two products: with 16
// rows the reads take longer than the products. 128 threads; lane 4g + t of warp w has rows 32w + 16m + g and
// + 8 (m = 0, 1) and columns 2t, 2t + 1 of every eight. Wide heads take 32 keys at a time: outputs and scores
// of 32 rows fill the registers.
#pragma once

#include "gpu/kernels/matrix_units.hpp"

namespace attnscope::gpu {

template <int D>
struct WideUnits {
  using Number = std::uint16_t;
  static constexpr bool needs_matrix_units = true;
  static constexpr int d = D, threads = 128;
  static constexpr int row_block = 128, key_tile = D <= 64 ? 64 : 32;
  static constexpr int rows = 4, columns = key_tile / 4, depth = D / 4;  // of a thread
  static constexpr int resident = 2;  // blocks that a multiprocessor should hold
  static constexpr int sharers = 4;   // neighbouring lanes that share a row
  static constexpr std::uint32_t key_bytes = key_tile * D * 2, query_bytes = row_block * D * 2;

  struct Scores {
    float c[2][key_tile / 8][4];
    ATTNSCOPE_THREAD float& at(int row, int column) {
      return c[row / 2][column / 2][column % 2 + 2 * (row % 2)];
    }
  };
  struct Outputs {
    static constexpr int depth = D / 4;
    float c[2][D / 8][4];
    ATTNSCOPE_THREAD float& at(int row, int i) { return c[row / 2][i / 2][i % 2 + 2 * (row % 2)]; }
  };
  ATTNSCOPE_THREAD static int row(int thread, int r) {
    return thread / 32 * 32 + r / 2 * 16 + thread % 32 / 4 + r % 2 * 8;
  }
  ATTNSCOPE_THREAD static int column(int thread, int c) { return c / 2 * 8 + thread % 4 * 2 + c % 2; }
  ATTNSCOPE_THREAD static int place(int thread, int i) { return i / 2 * 8 + thread % 4 * 2 + i % 2; }

  /// Fragments of this warp's queries.
  struct Queries {
    std::uint32_t a[D / 16][2][4];
  };
  template <class Ctx>
  ATTNSCOPE_THREAD static void load_query(Ctx& cx, int k, std::uint32_t query, std::uint32_t (&a)[2][4]) {
    const int lane = cx.thread() % 32, warp = cx.thread() / 32;
    ATTNSCOPE_EACH for (int m = 0; m < 2; ++m)
        cx.load4(a[m], pair_at<D>(query, warp * 32 + lane % 16, k, lane / 16) + m * 16 * D * 2);
  }

  /// s = Q·Kᵀ. Kept: queries from registers instead of from the tile at `query`.
  template <bool Kept, class Ctx>
  ATTNSCOPE_THREAD static void product(Ctx& cx, const Queries& kept, std::uint32_t query, std::uint32_t key,
                                       Scores& s) {
    const int lane = cx.thread() % 32;
    ATTNSCOPE_EACH for (int m = 0; m < 2; ++m) ATTNSCOPE_EACH for (int j = 0; j < key_tile / 8; ++j)
        ATTNSCOPE_EACH for (int e = 0; e < 4; ++e) s.c[m][j][e] = 0;
    ATTNSCOPE_EACH for (int k = 0; k < D / 16; ++k) {
      std::uint32_t a[2][4];
      if constexpr (Kept) {
        ATTNSCOPE_EACH for (int m = 0; m < 2; ++m) ATTNSCOPE_EACH for (int i = 0; i < 4; ++i) a[m][i] =
            kept.a[k][m][i];
      } else {
        load_query(cx, k, query, a);
      }
      ATTNSCOPE_EACH for (int j = 0; j < key_tile / 16; ++j) {
        std::uint32_t b[4];
        cx.load4(b, pair_at<D>(key, lane % 8 + lane / 16 * 8, k, lane / 8 % 2) + j * 16 * D * 2);
        ATTNSCOPE_EACH for (int m = 0; m < 2; ++m) {
          cx.multiply(s.c[m][2 * j], a[m], b[0], b[1]);
          cx.multiply(s.c[m][2 * j + 1], a[m], b[2], b[3]);
        }
      }
    }
  }

  /// o += P·V with the tile of values at `value`.
  template <class Ctx>
  ATTNSCOPE_THREAD static void mix(Ctx& cx, const Scores& p, std::uint32_t value, Outputs& o) {
    const int lane = cx.thread() % 32;
    ATTNSCOPE_EACH for (int k = 0; k < key_tile / 16; ++k) {
      std::uint32_t a[2][4];
      ATTNSCOPE_EACH for (int m = 0; m < 2; ++m) {
        const auto& low = p.c[m][2 * k];
        const auto& high = p.c[m][2 * k + 1];
        a[m][0] = cx.pack(low[0], low[1]), a[m][1] = cx.pack(low[2], low[3]);
        a[m][2] = cx.pack(high[0], high[1]), a[m][3] = cx.pack(high[2], high[3]);
      }
      ATTNSCOPE_EACH for (int j = 0; j < D / 16; ++j) {
        std::uint32_t b[4];
        cx.load4_transposed(b, pair_at<D>(value, lane % 16, j, lane / 16) + k * 16 * D * 2);
        ATTNSCOPE_EACH for (int m = 0; m < 2; ++m) {
          cx.multiply(o.c[m][2 * j], a[m], b[0], b[1]);
          cx.multiply(o.c[m][2 * j + 1], a[m], b[2], b[3]);
        }
      }
    }
  }

  /// Queries stay, keys and values come in two stages, the next tile while this one is worked on. Narrow
  /// queries go to registers and leave their room to the second stage.
  struct Walk : TileWalk {
    static constexpr bool kept = D <= 64;
    static constexpr std::uint32_t query_at = kept ? 2 * key_bytes : 4 * key_bytes;
    static constexpr std::uint32_t shared_bytes = query_at + query_bytes;
    static_assert(!kept || shared_bytes == 4 * key_bytes);
    const Number *key, *value;
    int keys, last;
    bool with_values;
    Queries queries;
    RowCopy<D, key_tile, threads> next_keys, next_values;

    template <class Ctx>
    ATTNSCOPE_THREAD void fetch(Ctx& cx, int t) {
      if (t < last) {
        const std::uint32_t stage = static_cast<std::uint32_t>(t & 1) * 2 * key_bytes;
        next_keys.next(cx, stage, D, keys - t * key_tile);
        if (with_values) next_values.next(cx, stage + key_bytes, D, keys - t * key_tile);
      }
      cx.commit();
    }
    /// Tiles [first, last) of keys; `stride` and `count` are of the query's rows.
    template <class Ctx>
    ATTNSCOPE_THREAD void open(Ctx& cx, const void* query, std::int64_t stride, int count, int first) {
      RowCopy<D, row_block, threads> of_query;
      of_query.begin(cx, static_cast<const Number*>(query), stride);
      of_query.next(cx, query_at, stride, count);
      cx.commit();
      if constexpr (kept) {
        cx.template wait<0>();
        cx.sync();
        ATTNSCOPE_EACH for (int k = 0; k < D / 16; ++k) load_query(cx, k, query_at, queries.a[k]);
        cx.sync();
      }
      const std::int64_t from = static_cast<std::int64_t>(first) * key_tile * D;
      with_values = value != nullptr;
      next_keys.begin(cx, key + from, D);
      next_values.begin(cx, value + from, D);
      fetch(cx, first);
    }
    template <class Ctx>
    ATTNSCOPE_THREAD void scores(Ctx& cx, int t, Scores& s) {
      fetch(cx, t + 1);
      cx.template wait<1>();
      cx.sync();
      product<kept>(cx, queries, query_at, static_cast<std::uint32_t>(t & 1) * 2 * key_bytes, s);
    }
    template <class Ctx>
    ATTNSCOPE_THREAD void mix_in(Ctx& cx, int t, const Scores& p, Outputs& o) const {
      mix(cx, p, static_cast<std::uint32_t>(t & 1) * 2 * key_bytes + key_bytes, o);
    }
  };
};

}  // namespace attnscope::gpu
