// gpu/kernels: a 64 x 64 tile of scores and its product with values on matrix units: bfloat16 operands,
// float32 sums (mma.m16n8k16, PTX ISA "Warp-level matrix instructions"). 128 threads; warp w has rows 16w to
// 16w + 15, lane 4g + t of it rows g and g + 8 and columns 2t, 2t + 1 of every eight.
#pragma once

#include "gpu/kernels/tile_walk.hpp"

namespace attnscope::gpu {

/// Where 16-byte chunk `chunk` of row `row` of a tile lies. The exchange of chunks lets eight rows be read at
/// once without two of them meeting in a bank.
template <int D>
ATTNSCOPE_THREAD std::uint32_t swizzled(int row, int chunk) {
  const int turn = D % 64 == 0 ? row & 7 : (row >> 1) & 3;
  return static_cast<std::uint32_t>(row * D * 2 + ((chunk ^ turn) << 4));
}

template <int D>
struct MatrixUnits {
  using Number = std::uint16_t;
  static constexpr bool needs_matrix_units = true;
  static constexpr int d = D, threads = 128;
  static constexpr int rows = 2, columns = 16, depth = D / 4;  // of a thread
  static constexpr int resident = D <= 64 ? 3 : 2;             // blocks that a multiprocessor should hold
  static constexpr int sharers = 4;                            // neighbouring lanes that share a row
  static constexpr std::uint32_t bytes = tile * D * 2;         // of a tile

  struct Scores {
    float c[8][4];
    ATTNSCOPE_THREAD float& at(int row, int column) { return c[column / 2][column % 2 + 2 * row]; }
  };
  struct Outputs {
    float c[D / 8][4];
    ATTNSCOPE_THREAD float& at(int row, int i) { return c[i / 2][i % 2 + 2 * row]; }
  };
  ATTNSCOPE_THREAD static int row(int thread, int r) { return thread / 32 * 16 + thread % 32 / 4 + 8 * r; }
  ATTNSCOPE_THREAD static int column(int thread, int c) { return c / 2 * 8 + thread % 4 * 2 + c % 2; }
  ATTNSCOPE_THREAD static int place(int thread, int i) { return i / 2 * 8 + thread % 4 * 2 + i % 2; }

  /// Copies rows of D numbers, `stride` apart, into a tile; zeros from row `count` on.
  template <class Ctx>
  ATTNSCOPE_THREAD static void copy_tile(Ctx& cx, std::uint32_t to, const void* from, std::int64_t stride,
                                         int count) {
    constexpr int chunks = D / 8;
    ATTNSCOPE_EACH for (int i = 0; i < tile * chunks / threads; ++i) {
      const int id = i * threads + cx.thread(), r = id / chunks, chunk = id % chunks;
      const bool real = r < count;
      const Number* row = static_cast<const Number*>(from) + (real ? r : 0) * stride;
      cx.copy16(to + swizzled<D>(r, chunk), row + chunk * 8, real);
    }
  }

  /// Fragments of this warp's queries.
  struct Queries {
    std::uint32_t a[D / 16][4];
  };
  template <class Ctx>
  ATTNSCOPE_THREAD static void load_query(Ctx& cx, int k, std::uint32_t query, std::uint32_t (&a)[4]) {
    const int lane = cx.thread() % 32, warp = cx.thread() / 32;
    cx.load4(a, query + swizzled<D>(warp * 16 + lane % 16, k * 2 + lane / 16));
  }

  /// s = Q·Kᵀ. Kept: queries from registers instead of from the tile at `query`.
  template <bool Kept, class Ctx>
  ATTNSCOPE_THREAD static void product(Ctx& cx, const Queries& kept, std::uint32_t query, std::uint32_t key,
                                       Scores& s) {
    ATTNSCOPE_EACH for (int j = 0; j < 8; ++j) ATTNSCOPE_EACH for (int e = 0; e < 4; ++e) s.c[j][e] = 0;
    add_product<Kept>(cx, kept, query, key, s);
  }
  /// s += Q·Kᵀ.
  template <bool Kept, class Ctx>
  ATTNSCOPE_THREAD static void add_product(Ctx& cx, const Queries& kept, std::uint32_t query,
                                           std::uint32_t key, Scores& s) {
    const int lane = cx.thread() % 32;
    ATTNSCOPE_EACH for (int k = 0; k < D / 16; ++k) {
      std::uint32_t a[4];
      if constexpr (Kept) {
        ATTNSCOPE_EACH for (int i = 0; i < 4; ++i) a[i] = kept.a[k][i];
      } else {
        load_query(cx, k, query, a);
      }
      ATTNSCOPE_EACH for (int j = 0; j < 4; ++j) {
        std::uint32_t b[4];
        cx.load4(b, key + swizzled<D>(j * 16 + lane % 8 + lane / 16 * 8, k * 2 + lane / 8 % 2));
        cx.multiply(s.c[2 * j], a, b[0], b[1]);
        cx.multiply(s.c[2 * j + 1], a, b[2], b[3]);
      }
    }
  }

  /// o += P·V with the tile of values at `value`.
  template <class Ctx>
  ATTNSCOPE_THREAD static void mix(Ctx& cx, const Scores& p, std::uint32_t value, Outputs& o) {
    const int lane = cx.thread() % 32;
    ATTNSCOPE_EACH for (int k = 0; k < 4; ++k) {
      const auto& low = p.c[2 * k];
      const auto& high = p.c[2 * k + 1];
      const std::uint32_t a[4] = {cx.pack(low[0], low[1]), cx.pack(low[2], low[3]), cx.pack(high[0], high[1]),
                                  cx.pack(high[2], high[3])};
      ATTNSCOPE_EACH for (int j = 0; j < D / 16; ++j) {
        std::uint32_t b[4];
        cx.load4_transposed(b, value + swizzled<D>(k * 16 + lane % 16, j * 2 + lane / 16));
        cx.multiply(o.c[2 * j], a, b[0], b[1]);
        cx.multiply(o.c[2 * j + 1], a, b[2], b[3]);
      }
    }
  }

  /// Pass 1: queries stay, keys and values come in two stages, the next tile while this one is worked on.
  /// Narrow queries go to registers and leave their room to the second stage.
  struct Walk : TileWalk {
    static constexpr bool kept = D <= 64;
    static constexpr std::uint32_t query_at = kept ? 2 * bytes : 4 * bytes;
    static constexpr std::uint32_t shared_bytes = query_at + (kept ? 2 * bytes : bytes);
    const Number *key, *value;
    int keys, last;
    Queries queries;

    template <class Ctx>
    ATTNSCOPE_THREAD void fetch(Ctx& cx, int t) const {
      if (t < last) {
        const std::uint32_t stage = static_cast<std::uint32_t>(t & 1) * 2 * bytes;
        const std::int64_t from = static_cast<std::int64_t>(t) * tile * D;
        copy_tile(cx, stage, key + from, D, keys - t * tile);
        if (value != nullptr) copy_tile(cx, stage + bytes, value + from, D, keys - t * tile);
      }
      cx.commit();
    }
    /// Tiles [first, last) of keys; `stride` and `count` are of the query's rows.
    template <class Ctx>
    ATTNSCOPE_THREAD void open(Ctx& cx, const void* query, std::int64_t stride, int count, int first) {
      copy_tile(cx, query_at, query, stride, count);
      cx.commit();
      if constexpr (kept) {
        cx.template wait<0>();
        cx.sync();
        ATTNSCOPE_EACH for (int k = 0; k < D / 16; ++k) load_query(cx, k, query_at, queries.a[k]);
        cx.sync();
      }
      fetch(cx, first);
    }
    template <class Ctx>
    ATTNSCOPE_THREAD void scores(Ctx& cx, int t, Scores& s) const {
      fetch(cx, t + 1);
      cx.template wait<1>();
      cx.sync();
      product<kept>(cx, queries, query_at, static_cast<std::uint32_t>(t & 1) * 2 * bytes, s);
    }
    template <class Ctx>
    ATTNSCOPE_THREAD void mix_in(Ctx& cx, int t, const Scores& p, Outputs& o) const {
      mix(cx, p, static_cast<std::uint32_t>(t & 1) * 2 * bytes + bytes, o);
    }
  };

  /// Pass 2: keys stay, queries come in two stages.
  struct ColumnWalk : TileWalk {
    static constexpr std::uint32_t shared_bytes = 3 * bytes;
    const Number* query;
    std::int64_t apart;  // from row to row
    int count, last;     // rows of queries; blocks of them

    template <class Ctx>
    ATTNSCOPE_THREAD void fetch(Ctx& cx, int b) const {
      if (b < last)
        copy_tile(cx, bytes + static_cast<std::uint32_t>(b & 1) * bytes, query + b * tile * apart, apart,
                  count - b * tile);
      cx.commit();
    }
    template <class Ctx>
    ATTNSCOPE_THREAD void open(Ctx& cx, const void* key, int key_count, int first) const {
      copy_tile(cx, 0, key, D, key_count);
      fetch(cx, first);
    }
    template <class Ctx>
    ATTNSCOPE_THREAD void scores(Ctx& cx, int b, Scores& s) const {
      fetch(cx, b + 1);
      cx.template wait<1>();
      cx.sync();
      product<false>(cx, Queries{}, bytes + static_cast<std::uint32_t>(b & 1) * bytes, 0, s);
    }
  };
};

}  // namespace attnscope::gpu
