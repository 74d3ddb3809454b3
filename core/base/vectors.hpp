// core/base: arithmetic on vectors of ATTNSCOPE_LANES floats in GCC's vector extensions. Included only by the
// kernels of core/streaming and core/training, inside a namespace for each instruction set
// (ATTNSCOPE_KERNEL); no standard library. Needs -ffast-math off: the rounding trick in exp2_product relies
// on exact float arithmetic.
#pragma once

#include <stdint.h>
#include <string.h>
#include <utility>  // std::integer_sequence: a type alone, no code

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace attnscope::vectors::ATTNSCOPE_KERNEL {

constexpr int W = ATTNSCOPE_LANES;
typedef float Vec __attribute__((vector_size(4 * W), aligned(4 * W)));
typedef float LooseVec __attribute__((vector_size(4 * W), aligned(4), may_alias));
typedef int32_t IntVec __attribute__((vector_size(4 * W), aligned(4 * W)));

#define ATTNSCOPE_UNROLL _Pragma("GCC unroll 16")
#define ATTNSCOPE_INLINE static inline __attribute__((always_inline))

ATTNSCOPE_INLINE Vec load(const float* p) { return *reinterpret_cast<const Vec*>(p); }
ATTNSCOPE_INLINE void store(float* p, Vec v) { *reinterpret_cast<Vec*>(p) = v; }
ATTNSCOPE_INLINE Vec load_loose(const float* p) { return (Vec) * reinterpret_cast<const LooseVec*>(p); }
ATTNSCOPE_INLINE void store_loose(float* p, Vec v) { *reinterpret_cast<LooseVec*>(p) = (LooseVec)v; }
/// Loads `count` numbers from p; the remaining lanes are 0.
ATTNSCOPE_INLINE Vec load_some(const float* p, int count) {
  if (count >= W) return load_loose(p);
  Vec x{};
  for (int i = 0; i < count; ++i) x[i] = p[i];
  return x;
}
/// Stores the first `count` numbers of x, at most all; none if count <= 0.
ATTNSCOPE_INLINE void store_some(float* p, Vec x, int count) {
  if (count >= W)
    store_loose(p, x);
  else
    for (int i = 0; i < count; ++i) p[i] = x[i];
}
ATTNSCOPE_INLINE Vec all(float x) { return x - Vec{}; }
ATTNSCOPE_INLINE IntVec all(int32_t x) { return x - IntVec{}; }
/// The larger number; b if either is NaN, like the x86 instruction.
ATTNSCOPE_INLINE Vec larger(Vec a, Vec b) { return a > b ? a : b; }
ATTNSCOPE_INLINE float larger(float a, float b) { return a > b ? a : b; }

/// a·b + c, rounded once if the machine has an instruction for it. Written explicitly: whether the compiler
/// contracts an expression depends on the code around it, and a number's bits must not.
ATTNSCOPE_INLINE Vec multiply_add(Vec a, Vec b, Vec c) {
#if defined(__AVX512F__) && ATTNSCOPE_LANES == 16
  return (Vec)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif defined(__FMA__) && ATTNSCOPE_LANES == 8
  return (Vec)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#elif defined(__FMA__) && ATTNSCOPE_LANES == 16
  union {
    Vec whole;
    __m256 half[2];
  } x = {a}, y = {b}, z = {c};
  z.half[0] = _mm256_fmadd_ps(x.half[0], y.half[0], z.half[0]);
  z.half[1] = _mm256_fmadd_ps(x.half[1], y.half[1], z.half[1]);
  return z.whole;
#else
  return a * b + c;
#endif
}

/// The same for single numbers, with the rounding of the vector version.
ATTNSCOPE_INLINE float multiply_add(float a, float b, float c) {
#if defined(__FMA__) || defined(__aarch64__)
  return __builtin_fmaf(a, b, c);
#else
  return a * b + c;
#endif
}

/// Whether all bits of a vector are 0.
template <class V>
ATTNSCOPE_INLINE bool is_zero(V x) {
  uint64_t words[sizeof(V) / sizeof(uint64_t)], any = 0;
  memcpy(words, &x, sizeof words);
  for (const uint64_t word : words) any |= word;
  return any == 0;
}

constexpr float infinity = __builtin_inff();
/// Below it, 2^x is negligible beside a row's largest weight of 2^0. Far above the smallest normal number, so
/// that products with values stay normal.
constexpr float least_exponent = -100.0f;

/// 2^(x·c) for least_exponent <= x·c <= 0, relative error below 1.8e-7, exactly 1 at 0; any NaN stays NaN,
/// because the power is a factor. 1 + r·q(r), where q minimises the largest relative error on |r| <= 1/2.
ATTNSCOPE_INLINE Vec exp2_product(Vec x, Vec c) {
  const Vec shifted = x * c + (12582912.0f + 127.0f);  // 1.5·2^23: the sum is rounded to an integer
  const Vec r = x * c - (shifted - (12582912.0f + 127.0f));
  Vec q = all(1.32647273e-3f);
  q = q * r + 9.67151299e-3f;
  q = q * r + 5.55073358e-2f;
  q = q * r + 2.40222424e-1f;
  q = q * r + 6.93147004e-1f;
  const Vec power = (Vec)((IntVec)shifted << 23);  // the low bits are the integer + 127
  return (q * r + 1.0f) * power;
}

/// The same for any product <= 0 down to the last subnormal result, with a polynomial of one degree more:
/// relative error below 1.2e-7. The power is applied as two factors, since 2^-149 needs them.
ATTNSCOPE_INLINE Vec exp2_exact(Vec x, Vec c) {
  const Vec low = all(-160.0f) / c;
  x = low > x ? low : x;
  const Vec shifted = x * c + 12582912.0f;
  const Vec r = x * c - (shifted - 12582912.0f);
  Vec q = all(1.5353362e-4f);
  q = q * r + 1.3398875e-3f;
  q = q * r + 9.61843692e-3f;
  q = q * r + 5.55033237e-2f;
  q = q * r + 2.40226477e-1f;
  q = q * r + 6.93147182e-1f;
  const IntVec whole = (IntVec)shifted - 0x4B400000;
  const IntVec half = whole >> 1;
  return (q * r + 1.0f) * (Vec)((half + 127) << 23) * (Vec)((whole - half + 127) << 23);
}

/// tanh, relative error below 3e-7: Cephes' tanhf polynomial (Moshier 1989) below 0.625, above that 1 - 2 /
/// (e^2|x| + 1); NaN stays NaN.
ATTNSCOPE_INLINE Vec tanh_of(Vec x) {
  const Vec square = x * x;
  Vec p = all(-5.70498872745e-3f);
  p = p * square + 2.06390887954e-2f;
  p = p * square - 5.37397155531e-2f;
  p = p * square + 1.33314422036e-1f;
  p = p * square - 3.33332819422e-1f;
  const Vec near = x + x * square * p;
  const Vec size = x < 0.0f ? -x : x;
  const Vec shrunk = size > 10.0f ? all(10.0f) : size;
  const Vec e = exp2_exact(-shrunk, all(2.88539008f));  // e^-2|x|
  const Vec far = (1.0f - e) / (1.0f + e);
  return size < 0.625f ? near : (x < 0.0f ? -far : far);
}

template <int S, int... Lane>
ATTNSCOPE_INLINE void swap_halves(Vec& a, Vec& b, std::integer_sequence<int, Lane...>) {
  const Vec low = __builtin_shufflevector(a, b, ((Lane & S) != 0 ? W + Lane - S : Lane)...);
  b = __builtin_shufflevector(a, b, ((Lane & S) != 0 ? W + Lane : Lane + S)...);
  a = low;
}

/// Swaps the lanes of a whose index has bit S set with the lanes of b whose index has it clear.
template <int S>
ATTNSCOPE_INLINE void swap_halves(Vec& a, Vec& b) {
  swap_halves<S>(a, b, std::make_integer_sequence<int, W>());
}

/// Among every `Step`-th of W vectors: swaps each bit of the lane index from S on with the same bit of the
/// vector index (Eklundh 1972).
template <int S, int Step>
ATTNSCOPE_INLINE void swap_bits(Vec* r) {
  if constexpr (S < W) {
    ATTNSCOPE_UNROLL for (int i = 0; i < W; i += Step) {
      if ((i & S) == 0) swap_halves<S>(r[i], r[i + S]);
    }
    swap_bits<2 * S, Step>(r);
  }
}

/// Transposes W vectors.
ATTNSCOPE_INLINE void transpose(Vec* r) { swap_bits<1, 1>(r); }

}  // namespace attnscope::vectors::ATTNSCOPE_KERNEL
