// core/streaming/kernels: products of bfloat16 tiles into float32, in one of three ways: the matrix unit of
// x86-64 (AMX: tiles of 16 rows of 64 bytes); with ATTNSCOPE_PAIR_PRODUCTS, vectors that multiply pairs of
// bfloat16 (AVX-512 BF16); with ATTNSCOPE_EMULATED_TILES, ordinary code for machines that have neither.
// Included by the kernels only.
#pragma once

#include "core/streaming/kernels/products.hpp"
#if !defined(ATTNSCOPE_EMULATED_TILES)
#include <immintrin.h>
#endif

namespace attnscope::streaming::ATTNSCOPE_KERNEL {

static_assert(W == 16 && NV == 4, "a row of a panel is four tiles wide");

constexpr int parts = ATTNSCOPE_BFLOAT_PARTS;  // 1: bfloat16; 2: high and low parts, 16 bits together
constexpr int tile_halves = 512;               // bfloat16 numbers in a tile: 16 rows of 32, or of 16 pairs
constexpr int tile_floats = tile_halves / 2;   // the size of such a tile in floats
constexpr int tile_depth = 32;                 // numbers that one tile product sums

#if defined(ATTNSCOPE_EMULATED_TILES)

struct Session {};

/// sums [16][16] += A [16][32] · B [16 pairs][16][2].
static void multiply_tile(const uint16_t* a, const uint16_t* b, float* sums) {
  const auto number = [](uint16_t half) {
    const uint32_t bits = static_cast<uint32_t>(half) << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
  };
  for (int m = 0; m < 16; ++m)
    for (int pair = 0; pair < 16; ++pair)
      for (int n = 0; n < 16; ++n)
        for (int i = 0; i < 2; ++i)
          sums[m * PW + n] += number(a[m * 32 + 2 * pair + i]) * number(b[pair * 32 + 2 * n + i]);
}

/// sums [16][PW] = A · B over `steps` tiles of depth: A as [step][part] tiles, B as [step][vector][part].
static void multiply_tiles(const uint16_t* a, const uint16_t* b, int steps, float* sums) {
  memset(sums, 0, sizeof(float) * 16 * PW);
  for (int step = 0; step < steps; ++step, a += parts * tile_halves) {
    for (int v = 0; v < NV; ++v, b += parts * tile_halves) {
      multiply_tile(a, b, sums + v * W);
      if constexpr (parts == 2) {
        multiply_tile(a + tile_halves, b, sums + v * W);
        multiply_tile(a, b + tile_halves, sums + v * W);
      }
    }
  }
}

#elif defined(ATTNSCOPE_PAIR_PRODUCTS)

struct Session {};

static_assert(parts == 1, "three products of pairs take longer than one of float32");

/// Pairs of an even and an odd number, rounded to the nearest bfloat16 (too large ones to infinity).
ATTNSCOPE_INLINE void store_pairs_at_once(Vec even, Vec odd, uint16_t* to) {
  const __m512i order = _mm512_set_epi16(31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24, 8, 23, 7,
                                         22, 6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
  const __m512bh halves = _mm512_cvtne2ps_pbh((__m512)odd, (__m512)even);
  _mm512_store_si512(to, _mm512_permutexvar_epi16(order, (__m512i)halves));
}

/// M rows of sums [PW] = A · B; a: the first row of A.
template <int M>
ATTNSCOPE_INLINE void multiply_pairs(const uint16_t* a, const uint16_t* b, int steps, float* sums) {
  __m512 sum[M][NV];
  ATTNSCOPE_UNROLL for (int m = 0; m < M; ++m) ATTNSCOPE_UNROLL for (int v = 0; v < NV; ++v) sum[m][v] =
      _mm512_setzero_ps();
  for (int step = 0; step < steps; ++step, a += tile_halves, b += NV * tile_halves) {
    for (int pair = 0; pair < 16; ++pair) {
      __m512bh right[NV];
      ATTNSCOPE_UNROLL for (int v = 0; v < NV; ++v) right[v] =
          (__m512bh)_mm512_load_si512(b + v * tile_halves + pair * tile_depth);
      ATTNSCOPE_UNROLL for (int m = 0; m < M; ++m) {
        int32_t both;
        memcpy(&both, a + m * tile_depth + 2 * pair, sizeof both);
        const __m512bh left = (__m512bh)_mm512_set1_epi32(both);
        ATTNSCOPE_UNROLL for (int v = 0; v < NV; ++v) sum[m][v] = _mm512_dpbf16_ps(sum[m][v], left, right[v]);
      }
    }
  }
  ATTNSCOPE_UNROLL for (int m = 0; m < M; ++m) ATTNSCOPE_UNROLL for (int v = 0; v < NV; ++v)
      _mm512_store_ps(sums + m * PW + v * W, sum[m][v]);
}

static void multiply_tiles(const uint16_t* a, const uint16_t* b, int steps, float* sums) {
  multiply_pairs<6>(a, b, steps, sums);
  multiply_pairs<6>(a + 6 * tile_depth, b, steps, sums + 6 * PW);
  multiply_pairs<4>(a + 12 * tile_depth, b, steps, sums + 12 * PW);
}

#else

/// Palette 1: eight tiles of 16 rows of 64 bytes.
struct alignas(64) TileConfiguration {
  uint8_t palette = 1, start = 0, reserved[14] = {};
  uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};

constexpr TileConfiguration configuration{};

/// Configures the thread's tiles during its lifetime.
class Session {
 public:
  Session() { _tile_loadconfig(&configuration); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session() { _tile_release(); }
};

// The instruction names tiles by number: 0 to 3 are sums, 4 and 5 left parts, 6 and 7 right parts.
#define ATTNSCOPE_TILE_COLUMN(v)         \
  _tile_loadd(6, b, 64);                 \
  _tile_dpbf16ps(v, 4, 6);               \
  if constexpr (parts == 2) {            \
    _tile_loadd(7, b + tile_halves, 64); \
    _tile_dpbf16ps(v, 5, 6);             \
    _tile_dpbf16ps(v, 4, 7);             \
  }                                      \
  b += parts * tile_halves;

static void multiply_tiles(const uint16_t* a, const uint16_t* b, int steps, float* sums) {
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  for (int step = 0; step < steps; ++step, a += parts * tile_halves) {
    _tile_loadd(4, a, 64);
    if constexpr (parts == 2) _tile_loadd(5, a + tile_halves, 64);
    ATTNSCOPE_TILE_COLUMN(0)
    ATTNSCOPE_TILE_COLUMN(1)
    ATTNSCOPE_TILE_COLUMN(2)
    ATTNSCOPE_TILE_COLUMN(3)
  }
  constexpr int stride = PW * static_cast<int>(sizeof(float));
  _tile_stored(0, sums, stride);
  _tile_stored(1, sums + W, stride);
  _tile_stored(2, sums + 2 * W, stride);
  _tile_stored(3, sums + 3 * W, stride);
}

#undef ATTNSCOPE_TILE_COLUMN

#endif

}  // namespace attnscope::streaming::ATTNSCOPE_KERNEL
