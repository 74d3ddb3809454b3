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

/// Where chunk 2 · pair + half of row `row` of the tile at `at` lies. Chunks are exchanged among eight or
/// four: pairs differ in bits of their own there, and by whole groups beyond, so that few registers serve all
/// pairs.
template <int D>
ATTNSCOPE_THREAD std::uint32_t pair_at(std::uint32_t at, int row, int pair, int half) {
  constexpr int group = D % 64 == 0 ? 4 : 2;
  return ((at + swizzled<D>(row, half)) ^ static_cast<std::uint32_t>(pair % group * 32)) +
         static_cast<std::uint32_t>(pair / group * group * 32);
}

/// Copies tiles of `Rows` rows of D numbers that follow each other to shared memory. A thread keeps where its
/// share of the next tile begins, so that a tile costs it an addition and not a multiplication for each 16
/// bytes.
template <int D, int Rows, int Threads>
struct RowCopy {
  static constexpr int chunks = D / 8, copies = Rows * chunks / Threads;
  /// Whether a thread's chunks stand below each other, in rows that swizzled() turns alike.
  static constexpr bool is_regular = Threads % chunks == 0 && Threads / chunks % 8 == 0;
  const std::uint16_t* from;

  /// `first`: the first row of the first tile; rows lie `stride` numbers apart.
  template <class Ctx>
  ATTNSCOPE_THREAD void begin(Ctx& cx, const std::uint16_t* first, std::int64_t stride) {
    from = first;
    const auto thread = static_cast<unsigned>(cx.thread());
    if (is_regular) from += thread / chunks * stride + thread % chunks * 8;
  }
  /// The next tile to `to`; zeros from row `count` on.
  template <class Ctx>
  ATTNSCOPE_THREAD void next(Ctx& cx, std::uint32_t to, std::int64_t stride, int count) {
    if (is_regular) {
      constexpr int apart = Threads / chunks;
      const int row = cx.thread() / chunks;
      to += swizzled<D>(row, cx.thread() % chunks);
      // What is not real is not read, wherever it would be.
      ATTNSCOPE_EACH for (int i = 0; i < copies; ++i)
          cx.copy16(to + static_cast<std::uint32_t>(i * apart * D * 2), from + i * apart * stride,
                    row < count - i * apart);
    } else {
      ATTNSCOPE_EACH for (int i = 0; i < copies; ++i) {
        const int id = i * Threads + cx.thread(), row = id / chunks, chunk = id % chunks;
        cx.copy16(to + swizzled<D>(row, chunk), from + (row * stride + chunk * 8), row < count);
      }
    }
    from += Rows * stride;
  }
};

template <int D>
struct MatrixUnits {
  using Number = std::uint16_t;
  static constexpr bool needs_matrix_units = true;
  static constexpr int d = D, threads = 128;
  static constexpr int rows = 2, columns = 16;          // of a thread
  static constexpr std::uint32_t bytes = tile * D * 2;  // of a tile

  struct Scores {
    float c[8][4];
    ATTNSCOPE_THREAD float& at(int row, int column) { return c[column / 2][column % 2 + 2 * row]; }
  };
  ATTNSCOPE_THREAD static int row(int thread, int r) { return thread / 32 * 16 + thread % 32 / 4 + 8 * r; }
  ATTNSCOPE_THREAD static int column(int thread, int c) { return c / 2 * 8 + thread % 4 * 2 + c % 2; }

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
};

}  // namespace attnscope::gpu
