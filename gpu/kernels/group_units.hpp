// gpu/kernels: 64 rows of scores and outputs of one warpgroup on the matrix units of compute capability 9.0
// (wgmma: PTX ISA, "Asynchronous Warpgroup Level Matrix Multiply-Accumulate"), for pass 1. Operands come from
// tiles that lie in the card's memory as the products want them, so that one bulk copy brings each. Lane
// 4g + t of warp w has rows 16w + g and + 8 and columns 2t, 2t + 1 of every eight, as in matrix_units.hpp.
#pragma once

#include "gpu/kernels/matrix_units.hpp"
#include "gpu/kernels/tiled.hpp"

namespace attnscope::gpu {

template <int D>
struct GroupUnits {
  static_assert(D % 64 == 0);
  using Number = std::uint16_t;
  static constexpr bool needs_matrix_units = true;
  static constexpr int d = D, threads = 128;  // of a warpgroup
  static constexpr int row_block = 64, key_tile = tile;
  static constexpr int rows = 2, columns = key_tile / 4, depth = D / 4;  // of a thread
  static constexpr int resident = 1;
  /// Warpgroups of a block, and registers of their threads and of the others: 65,536 in all.
  static constexpr int groups = D <= 64 ? 3 : 2, registers = D <= 64 ? 160 : 240,
                       few_registers = D <= 64 ? 32 : 24;
  static_assert((groups * registers + few_registers) * 128 <= 65536);
  static constexpr int sharers = 4;
  static constexpr std::uint32_t half_bytes = tile * 128, tile_bytes = tile * D * 2;

  struct Scores {
    float c[key_tile / 8][4];
    ATTNSCOPE_THREAD float& at(int row, int column) { return c[column / 2][column % 2 + 2 * row]; }
  };
  struct Outputs {
    static constexpr int depth = D / 4;
    float c[D / 8][4];
    ATTNSCOPE_THREAD float& at(int row, int i) { return c[i / 2][i % 2 + 2 * row]; }
  };
  /// What outputs have to be multiplied by once the product that is under way has ended.
  struct Shrinking {
    static constexpr int depth = 1;
    float factor[rows];
    ATTNSCOPE_THREAD float& at(int row, int) { return factor[row]; }
  };
  /// Weights as operands of the product with values.
  struct Weights {
    std::uint32_t a[key_tile / 16][4];
  };
  ATTNSCOPE_THREAD static int row(int thread, int r) { return thread / 32 * 16 + thread % 32 / 4 + 8 * r; }
  ATTNSCOPE_THREAD static int column(int thread, int c) { return c / 2 * 8 + thread % 4 * 2 + c % 2; }
  ATTNSCOPE_THREAD static int place(int thread, int i) { return i / 2 * 8 + thread % 4 * 2 + i % 2; }

  /// The 64 rows of queries of a warpgroup, copied as keys lie in their tiles.
  template <class Ctx>
  ATTNSCOPE_THREAD static void copy_query(Ctx& cx, std::uint32_t to, const Number* from, std::int64_t stride,
                                          int count) {
    ATTNSCOPE_EACH for (int half = 0; half < D / 64; ++half) {
      RowCopy<64, row_block, threads> copy;
      copy.begin(cx, from + half * 64, stride);
      copy.next(cx, to + static_cast<std::uint32_t>(half) * half_bytes, stride, count);
    }
  }

  /// An operand so many bytes behind another: its address has no last four bits.
  ATTNSCOPE_THREAD static std::uint64_t further(std::uint64_t operand, std::uint32_t bytes) {
    return operand + (bytes >> 4);
  }

  /// s = Q·Kᵀ, under way.
  template <class Ctx>
  ATTNSCOPE_THREAD static void multiply(Ctx& cx, std::uint32_t query, std::uint32_t key, Scores& s) {
    const std::uint64_t a = cx.operand(query, 16, 1024), b = cx.operand(key, 16, 1024);
    ATTNSCOPE_EACH for (int k = 0; k < D / 16; ++k) {
      const std::uint32_t at = static_cast<std::uint32_t>(k / 4) * half_bytes + k % 4 * 32;
      cx.multiply_group(s.c, further(a, at), further(b, at), k > 0);
    }
  }

  template <class Ctx>
  ATTNSCOPE_THREAD static void pack(Ctx& cx, const Scores& s, Weights& w) {
    ATTNSCOPE_EACH for (int k = 0; k < key_tile / 16; ++k) {
      const auto& low = s.c[2 * k];
      const auto& high = s.c[2 * k + 1];
      w.a[k][0] = cx.pack(low[0], low[1]), w.a[k][1] = cx.pack(low[2], low[3]);
      w.a[k][2] = cx.pack(high[0], high[1]), w.a[k][3] = cx.pack(high[2], high[3]);
    }
  }

  /// o += P·V, under way.
  template <class Ctx>
  ATTNSCOPE_THREAD static void mix(Ctx& cx, const Weights& w, std::uint32_t value, Outputs& o) {
    const std::uint64_t b = cx.operand(value, half_bytes, 1024);
    ATTNSCOPE_EACH for (int k = 0; k < key_tile / 16; ++k)
        cx.multiply_group(o.c, w.a[k], further(b, static_cast<std::uint32_t>(k) * 2048));
  }

  /// Shared memory of a block of `groups` warpgroups: what finish_rows() leaves, signals, a word for each
  /// stage, queries, stages of keys and values.
  struct Walk {
    static constexpr int stages = 3;
    static constexpr std::uint32_t factor_bytes = 2 * row_block * 4, full_at = groups * factor_bytes,
                                   empty_at = full_at + 8 * stages, word_at = empty_at + 8 * stages,
                                   query_at = 2048, stage_at = query_at + groups * tile_bytes,
                                   stage_bytes = 2 * tile_bytes,
                                   shared_bytes = stage_at + stages * stage_bytes;
    static_assert(word_at + 4 * stages <= query_at && stage_at % 1024 == 0);
  };
};

}  // namespace attnscope::gpu
