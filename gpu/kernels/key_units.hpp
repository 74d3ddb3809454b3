// gpu/kernels: a tile of scores of 64 queries and 128 keys on matrix units, for pass 2. It is computed
// transposed, K·Qᵀ: keys stay in registers as operand A, queries alone are read from shared memory, and what
// is read serves the 32 keys of a warp. A column of scores lies in few threads then, so that the attention
// received needs no sums over warps. 128 threads; lane 4g + t of warp w has keys 32w + 16m + g and + 8 (m =
// 0, 1) and queries 2t, 2t + 1 of every eight.
#pragma once

#include "gpu/kernels/matrix_units.hpp"

namespace attnscope::gpu {

template <int D>
struct KeyUnits {
  using Number = std::uint16_t;
  static constexpr bool needs_matrix_units = true;
  static constexpr int d = D, threads = 128;
  static constexpr int key_block = 128;                       // of an item of pass 2
  static constexpr int rows = 16, columns = 4;                // of a thread
  static constexpr int column_resident = D <= 64 ? 3 : 2;     // blocks that a multiprocessor should hold
  static constexpr int lanes_from = 1, lanes_to = 4;          // lanes whose numbers differ in these bits only
  static constexpr int column_warps = 1;                      // share a column, in so many warps
  static constexpr std::uint32_t query_bytes = tile * D * 2;  // of a tile

  struct Scores {
    float c[2][8][4];
    ATTNSCOPE_THREAD float& at(int row, int column) {
      return c[column / 2][row / 2][row % 2 + 2 * (column % 2)];
    }
  };
  ATTNSCOPE_THREAD static int row(int thread, int r) { return r / 2 * 8 + thread % 4 * 2 + r % 2; }
  ATTNSCOPE_THREAD static int column(int thread, int c) {
    return thread / 32 * 32 + c / 2 * 16 + thread % 32 / 4 + c % 2 * 8;
  }

  /// Keys stay, queries come in two stages, the next tile while this one is worked on. Keys come through the
  /// room of both stages.
  struct ColumnWalk : TileWalk {
    static constexpr std::uint32_t shared_bytes = 2 * query_bytes;
    static_assert(shared_bytes == key_block * D * 2);
    const Number* query;
    std::int64_t apart;  // from row to row
    int count, last;     // rows of queries; blocks of them
    std::uint32_t keys[D / 16][2][4];
    RowCopy<D, tile, threads> copy;

    template <class Ctx>
    ATTNSCOPE_THREAD void fetch(Ctx& cx, int b) {
      if (b < last) copy.next(cx, static_cast<std::uint32_t>(b & 1) * query_bytes, apart, count - b * tile);
      cx.commit();
    }
    template <class Ctx>
    ATTNSCOPE_THREAD void open(Ctx& cx, const void* key, int key_count, int first) {
      RowCopy<D, key_block, threads> of_keys;
      of_keys.begin(cx, static_cast<const Number*>(key), D);
      of_keys.next(cx, 0, D, key_count);
      cx.commit();
      cx.template wait<0>();
      cx.sync();
      const int lane = cx.thread() % 32, warp = cx.thread() / 32;
      ATTNSCOPE_EACH for (int k = 0; k < D / 16; ++k) ATTNSCOPE_EACH for (int m = 0; m < 2; ++m)
          cx.load4(keys[k][m], pair_at<D>(0, warp * 32 + lane % 16, k, lane / 16) + m * 16 * D * 2);
      cx.sync();
      copy.begin(cx, query + first * tile * apart, apart);
      fetch(cx, first);
    }
    template <class Ctx>
    ATTNSCOPE_THREAD void scores(Ctx& cx, int b, Scores& s) {
      fetch(cx, b + 1);
      cx.template wait<1>();
      cx.sync();
      product(cx, static_cast<std::uint32_t>(b & 1) * query_bytes, s);
    }
    /// s = (K·Qᵀ)ᵀ with the tile of queries at `from`.
    template <class Ctx>
    ATTNSCOPE_THREAD void product(Ctx& cx, std::uint32_t from, Scores& s) const {
      const int lane = cx.thread() % 32;
      ATTNSCOPE_EACH for (int m = 0; m < 2; ++m) ATTNSCOPE_EACH for (int j = 0; j < 8; ++j)
          ATTNSCOPE_EACH for (int e = 0; e < 4; ++e) s.c[m][j][e] = 0;
      ATTNSCOPE_EACH for (int k = 0; k < D / 16; ++k) ATTNSCOPE_EACH for (int j = 0; j < 4; ++j) {
        std::uint32_t b[4];
        cx.load4(b, pair_at<D>(from, lane % 8 + lane / 16 * 8, k, lane / 8 % 2) + j * 16 * D * 2);
        ATTNSCOPE_EACH for (int m = 0; m < 2; ++m) {
          cx.multiply(s.c[m][2 * j], keys[k][m], b[0], b[1]);
          cx.multiply(s.c[m][2 * j + 1], keys[k][m], b[2], b[3]);
        }
      }
    }
  };
};

}  // namespace attnscope::gpu
