// gpu/kernels: a 64 x 64 tile of scores and its product with values in float32, for exact numbers and for
// cards without bfloat16. 256 threads of 4 x 4 scores: thread 16y + x has rows 4y to 4y + 3 and columns x, x
// + 16, ….
#pragma once

#include "gpu/kernels/tile_walk.hpp"

namespace attnscope::gpu {

template <int D>
struct FloatUnits {
  using Number = float;
  static constexpr bool needs_matrix_units = false;
  static constexpr int d = D, threads = 256;
  static constexpr int row_block = tile, key_tile = tile;      // of pass 1
  static constexpr int rows = 4, columns = 4, depth = D / 16;  // of a thread
  static constexpr int resident = D <= 96 ? 2 : 1;             // blocks that a multiprocessor should hold
  static constexpr int sharers = 16;                           // neighbouring lanes that share a row
  static constexpr int key_block = tile, column_resident = 2;  // of pass 2
  static constexpr int lanes_from = 16, lanes_to = 32;  // lanes whose numbers differ in these bits only
  static constexpr int column_warps = threads / 32;     // share a column, in so many warps
  // Rows lie four numbers further apart than they are long: sixteen lanes then read all banks evenly.
  static constexpr int stride = D + 4, weight_stride = tile + 4;
  static constexpr std::uint32_t bytes = tile * stride * 4, weight_bytes = tile * weight_stride * 4;

  struct Scores {
    float c[4][4];
    ATTNSCOPE_THREAD float& at(int row, int column) { return c[row][column]; }
  };
  struct Outputs {
    static constexpr int depth = D / 16;
    float c[4][D / 16];
    ATTNSCOPE_THREAD float& at(int row, int i) { return c[row][i]; }
  };
  ATTNSCOPE_THREAD static int row(int thread, int r) { return thread / 16 * 4 + r; }
  ATTNSCOPE_THREAD static int column(int thread, int c) { return thread % 16 + 16 * c; }
  ATTNSCOPE_THREAD static int place(int thread, int i) { return i / 2 * 32 + thread % 16 * 2 + i % 2; }

  /// Copies rows of D numbers, `from_stride` apart, into a tile; zeros from row `count` on.
  template <class Ctx>
  ATTNSCOPE_THREAD static void copy_tile(Ctx& cx, std::uint32_t to, const void* from,
                                         std::int64_t from_stride, int count) {
    constexpr int chunks = D / 4;
    ATTNSCOPE_EACH for (int i = 0; i < tile * chunks / threads; ++i) {
      const int id = i * threads + cx.thread(), r = id / chunks, chunk = id % chunks;
      const bool real = r < count;
      const float* row = static_cast<const float*>(from) + (real ? r : 0) * from_stride;
      cx.copy16(to + static_cast<std::uint32_t>(r * stride + chunk * 4) * 4, row + chunk * 4, real);
    }
  }

  /// s = Q·Kᵀ of two tiles.
  template <class Ctx>
  ATTNSCOPE_THREAD static void product(Ctx& cx, std::uint32_t query, std::uint32_t key, Scores& s) {
    const float* q = cx.template shared<float>(query) + row(cx.thread(), 0) * stride;
    const float* k = cx.template shared<float>(key) + column(cx.thread(), 0) * stride;
    ATTNSCOPE_EACH for (int r = 0; r < 4; ++r) ATTNSCOPE_EACH for (int c = 0; c < 4; ++c) s.c[r][c] = 0;
    ATTNSCOPE_SOME for (int i = 0; i < D; i += 4) {
      float a[4][4], b[4][4];
      ATTNSCOPE_EACH for (int r = 0; r < 4; ++r) cx.read4(a[r], q + r * stride + i);
      ATTNSCOPE_EACH for (int c = 0; c < 4; ++c) cx.read4(b[c], k + c * 16 * stride + i);
      ATTNSCOPE_EACH for (int r = 0; r < 4; ++r) ATTNSCOPE_EACH for (int c = 0; c < 4; ++c)
          ATTNSCOPE_EACH for (int e = 0; e < 4; ++e) s.c[r][c] = cx.fma(a[r][e], b[c][e], s.c[r][c]);
    }
  }

  /// Pass 1: queries stay, keys and values take turns in one tile, so that 128 numbers fit every card.
  struct Walk : TileWalk {
    static constexpr std::uint32_t weight_at = 2 * bytes, shared_bytes = weight_at + weight_bytes;
    const float *key, *value;
    int keys, last;

    /// Tiles [first, last) of keys; `from_stride` and `count` are of the query's rows.
    template <class Ctx>
    ATTNSCOPE_THREAD void open(Ctx& cx, const void* query, std::int64_t from_stride, int count, int) const {
      copy_tile(cx, 0, query, from_stride, count);
      cx.commit();
    }
    template <class Ctx>
    ATTNSCOPE_THREAD void scores(Ctx& cx, int t, Scores& s) const {
      const std::int64_t from = static_cast<std::int64_t>(t) * tile * D;
      copy_tile(cx, bytes, key + from, D, keys - t * tile);
      cx.commit();
      cx.template wait<0>();
      cx.sync();
      product(cx, 0, bytes, s);
      cx.sync();
      if (value != nullptr) copy_tile(cx, bytes, value + from, D, keys - t * tile);
      cx.commit();
    }
    /// o += P·V; a row's weights are read by the threads that share it, hence the way through shared memory.
    template <class Ctx>
    ATTNSCOPE_THREAD void mix_in(Ctx& cx, int, const Scores& p, Outputs& o) const {
      float* weights = cx.template shared<float>(weight_at) + row(cx.thread(), 0) * weight_stride;
      ATTNSCOPE_EACH for (int r = 0; r < 4; ++r) ATTNSCOPE_EACH for (int c = 0; c < 4; ++c)
          weights[r * weight_stride + column(cx.thread(), c)] = p.c[r][c];
      cx.template wait<0>();
      cx.sync();
      const float* v = cx.template shared<float>(bytes);
      ATTNSCOPE_SOME for (int k = 0; k < tile; k += 4) {
        float a[4][4];
        ATTNSCOPE_EACH for (int r = 0; r < 4; ++r) cx.read4(a[r], weights + r * weight_stride + k);
        ATTNSCOPE_EACH for (int e = 0; e < 4; ++e) ATTNSCOPE_EACH for (int i = 0; i < depth; i += 2) {
          float b[2];
          cx.read2(b, v + (k + e) * stride + place(cx.thread(), i));
          ATTNSCOPE_EACH for (int r = 0; r < 4; ++r) {
            o.c[r][i] = cx.fma(a[r][e], b[0], o.c[r][i]);
            o.c[r][i + 1] = cx.fma(a[r][e], b[1], o.c[r][i + 1]);
          }
        }
      }
    }
  };

  /// Pass 2: keys stay, queries come one tile at a time.
  struct ColumnWalk : TileWalk {
    static constexpr std::uint32_t shared_bytes = 2 * bytes;
    const float* query;
    std::int64_t apart;  // from row to row
    int count, last;     // rows of queries; blocks of them

    template <class Ctx>
    ATTNSCOPE_THREAD void open(Ctx& cx, const void* key, int key_count, int) const {
      copy_tile(cx, 0, key, D, key_count);
    }
    template <class Ctx>
    ATTNSCOPE_THREAD void scores(Ctx& cx, int b, Scores& s) const {
      copy_tile(cx, bytes, query + b * tile * apart, apart, count - b * tile);
      cx.commit();
      cx.template wait<0>();
      cx.sync();
      product(cx, bytes, 0, s);
    }
  };
};

}  // namespace attnscope::gpu
