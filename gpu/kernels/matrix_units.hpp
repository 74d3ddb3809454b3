// gpu/kernels: a 64 x 64 tile of scores on matrix units: bfloat16 operands, float32 sums (mma.m16n8k16, PTX
// ISA "Warp-level matrix instructions"). 128 threads; warp w has rows 16w to 16w + 15, lane 4g + t of it rows
// g and g + 8 and columns 2t, 2t + 1 of every eight.
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

/// Copies `Rows` rows of D numbers, `stride` apart, to shared memory; zeros from row `count` on.
template <int D, int Rows, int Threads, class Ctx>
ATTNSCOPE_THREAD void copy_rows(Ctx& cx, std::uint32_t to, const void* from, std::int64_t stride, int count) {
  constexpr int chunks = D / 8;
  ATTNSCOPE_EACH for (int i = 0; i < Rows * chunks / Threads; ++i) {
    const int id = i * Threads + cx.thread(), r = id / chunks, chunk = id % chunks;
    const bool real = r < count;
    const std::uint16_t* row = static_cast<const std::uint16_t*>(from) + (real ? r : 0) * stride;
    cx.copy16(to + swizzled<D>(r, chunk), row + chunk * 8, real);
  }
}

template <int D>
struct MatrixUnits {
  using Number = std::uint16_t;
  static constexpr bool needs_matrix_units = true;
  static constexpr int d = D, threads = 128;
  static constexpr int rows = 2, columns = 16;          // of a thread
  static constexpr int resident = D <= 64 ? 3 : 2;      // blocks that a multiprocessor should hold
  static constexpr int sharers = 4;                     // neighbouring lanes that share a row
  static constexpr std::uint32_t bytes = tile * D * 2;  // of a tile

  struct Scores {
    float c[8][4];
    ATTNSCOPE_THREAD float& at(int row, int column) { return c[column / 2][column % 2 + 2 * row]; }
  };
  ATTNSCOPE_THREAD static int row(int thread, int r) { return thread / 32 * 16 + thread % 32 / 4 + 8 * r; }
  ATTNSCOPE_THREAD static int column(int thread, int c) { return c / 2 * 8 + thread % 4 * 2 + c % 2; }

  /// s = Q·Kᵀ of two tiles.
  template <class Ctx>
  ATTNSCOPE_THREAD static void product(Ctx& cx, std::uint32_t query, std::uint32_t key, Scores& s) {
    ATTNSCOPE_EACH for (int j = 0; j < 8; ++j) ATTNSCOPE_EACH for (int e = 0; e < 4; ++e) s.c[j][e] = 0;
    add_product(cx, query, key, s);
  }
  /// s += Q·Kᵀ.
  template <class Ctx>
  ATTNSCOPE_THREAD static void add_product(Ctx& cx, std::uint32_t query, std::uint32_t key, Scores& s) {
    const int lane = cx.thread() % 32, warp = cx.thread() / 32;
    ATTNSCOPE_EACH for (int k = 0; k < D / 16; ++k) {
      std::uint32_t a[4];
      cx.load4(a, query + swizzled<D>(warp * 16 + lane % 16, k * 2 + lane / 16));
      ATTNSCOPE_EACH for (int j = 0; j < 4; ++j) {
        std::uint32_t b[4];
        cx.load4(b, key + swizzled<D>(j * 16 + lane % 8 + lane / 16 * 8, k * 2 + lane / 8 % 2));
        cx.multiply(s.c[2 * j], a, b[0], b[1]);
        cx.multiply(s.c[2 * j + 1], a, b[2], b[3]);
      }
    }
  }

  /// Pass 2: keys stay, queries come in two stages.
  struct ColumnWalk : TileWalk {
    static constexpr std::uint32_t shared_bytes = 3 * bytes;
    const Number* query;
    std::int64_t apart;  // from row to row
    int count, last;     // rows of queries; blocks of them

    template <class Ctx>
    ATTNSCOPE_THREAD void fetch(Ctx& cx, int b) const {
      if (b < last)
        copy_rows<D, tile, threads>(cx, bytes + static_cast<std::uint32_t>(b & 1) * bytes,
                                    query + b * tile * apart, apart, count - b * tile);
      cx.commit();
    }
    template <class Ctx>
    ATTNSCOPE_THREAD void open(Ctx& cx, const void* key, int key_count, int first) const {
      copy_rows<D, tile, threads>(cx, 0, key, D, key_count);
      fetch(cx, first);
    }
    template <class Ctx>
    ATTNSCOPE_THREAD void scores(Ctx& cx, int b, Scores& s) const {
      fetch(cx, b + 1);
      cx.template wait<1>();
      cx.sync();
      product(cx, bytes + static_cast<std::uint32_t>(b & 1) * bytes, 0, s);
    }
  };
};

}  // namespace attnscope::gpu
