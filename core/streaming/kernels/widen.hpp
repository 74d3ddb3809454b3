// core/streaming/kernels: stored numbers as floats, with the vectors of one instruction set: what the
// compiler does not make of the loops of stored_numbers.hpp by itself. Included by the kernels alone.
#pragma once

#include "core/base/stored_numbers.hpp"
#include "core/streaming/kernels/kernels.hpp"
#include "core/streaming/kernels/lanes.hpp"

namespace attnscope::streaming::ATTNSCOPE_KERNEL {

typedef uint8_t Bytes __attribute__((vector_size(W), aligned(1), may_alias));
typedef int8_t SignedBytes __attribute__((vector_size(W), aligned(1), may_alias));
typedef uint16_t PackedHalves __attribute__((vector_size(2 * W), aligned(1), may_alias));

ATTNSCOPE_INLINE Bytes load_bytes_at(const uint8_t* from) { return *reinterpret_cast<const Bytes*>(from); }

/// W whole numbers, each in a byte, as floats. gcc 12 takes some vectors apart for it: the instructions are
/// named where there are any.
ATTNSCOPE_INLINE Vec floats_of(Bytes bytes) {
#if defined(__AVX512F__) && ATTNSCOPE_LANES == 16
  return (Vec)_mm512_cvtepi32_ps(_mm512_cvtepu8_epi32((__m128i)bytes));
#elif defined(__AVX2__) && ATTNSCOPE_LANES == 8
  return (Vec)_mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_set_epi64x(0, (int64_t)bytes)));
#else
  return __builtin_convertvector(__builtin_convertvector(bytes, IntVec), Vec);
#endif
}
ATTNSCOPE_INLINE Vec floats_of(SignedBytes bytes) {
#if defined(__AVX512F__) && ATTNSCOPE_LANES == 16
  return (Vec)_mm512_cvtepi32_ps(_mm512_cvtepi8_epi32((__m128i)bytes));
#elif defined(__AVX2__) && ATTNSCOPE_LANES == 8
  return (Vec)_mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_set_epi64x(0, (int64_t)bytes)));
#else
  return __builtin_convertvector(__builtin_convertvector(bytes, IntVec), Vec);
#endif
}

/// A block's numbers in place of its own write().
ATTNSCOPE_INLINE void write_block(const Q8_0Block& block, float* to) {
  const Vec scale = all(static_cast<float>(block.d));
  ATTNSCOPE_UNROLL for (int i = 0; i < 32; i += W)
      store_loose(to + i, scale * floats_of(*reinterpret_cast<const SignedBytes*>(block.q + i)));
}

#if defined(__AVX512F__) && ATTNSCOPE_LANES == 16
/// Four bits each: a table of the sixteen numbers that they can mean, in one register.
template <class Block>
ATTNSCOPE_INLINE void write_four_bits(const Block& block, float* to, Vec table) {
  const __m512i q = _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(block.q)));
  store_loose(to, (Vec)_mm512_permutexvar_ps(q, (__m512)table));  // its low four bits choose
  store_loose(to + 16, (Vec)_mm512_permutexvar_ps(_mm512_srli_epi32(q, 4), (__m512)table));
}
constexpr Vec first_numbers = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
ATTNSCOPE_INLINE void write_block(const Q4_0Block& block, float* to) {
  write_four_bits(block, to, all(static_cast<float>(block.d)) * (first_numbers - 8.0f));
}
ATTNSCOPE_INLINE void write_block(const Q4_1Block& block, float* to) {
  write_four_bits(block, to,
                  all(static_cast<float>(block.d)) * first_numbers + all(static_cast<float>(block.m)));
}
#endif

/// Five bits each: low halves of 16 bytes, then the high ones, the fifth bits beside them.
template <class Block, class Make>
ATTNSCOPE_INLINE void write_five_bits(const Block& block, float* to, Make make) {
  const FifthBits fifth(block.high);
  ATTNSCOPE_UNROLL for (int i = 0; i < 16; i += W) {
    const Bytes q = load_bytes_at(block.q + i);
    store_loose(to + i, make((q & 15) | load_bytes_at(fifth.of + i)));
    store_loose(to + i + 16, make(q >> 4 | load_bytes_at(fifth.of + i + 16)));
  }
}
ATTNSCOPE_INLINE void write_block(const Q5_0Block& block, float* to) {
  const Vec scale = all(static_cast<float>(block.d));
  write_five_bits(block, to, [&](Bytes q) { return scale * floats_of((SignedBytes)q - 16); });
}
ATTNSCOPE_INLINE void write_block(const Q5_1Block& block, float* to) {
  const Vec scale = all(static_cast<float>(block.d)), least = all(static_cast<float>(block.m));
  write_five_bits(block, to, [&](Bytes q) { return scale * floats_of(q) + least; });
}

ATTNSCOPE_INLINE void write_block(const Q4_KBlock& block, float* to) {
  const float scale = block.d, least = block.m;
  const SixBits six(block.scales);
  ATTNSCOPE_UNROLL for (int part = 0; part < 8; ++part, to += 32) {
    const Vec by = all(scale * in_float(six.scale[part])), minus = all(least * in_float(six.least[part]));
    const uint8_t* const from = block.q + part / 2 * 32;
    ATTNSCOPE_UNROLL for (int i = 0; i < 32; i += W) {
      const Bytes q = load_bytes_at(from + i);
      store_loose(to + i, by * floats_of(part % 2 == 0 ? q & 15 : q >> 4) - minus);
    }
  }
}

ATTNSCOPE_INLINE void write_block(const Q5_KBlock& block, float* to) {
  const float scale = block.d, least = block.m;
  const SixBits six(block.scales);
  ATTNSCOPE_UNROLL for (int part = 0; part < 8; ++part, to += 32) {
    const Vec by = all(scale * in_float(six.scale[part])), minus = all(least * in_float(six.least[part]));
    const uint8_t* const from = block.q + part / 2 * 32;
    ATTNSCOPE_UNROLL for (int i = 0; i < 32; i += W) {
      const Bytes q = load_bytes_at(from + i), fifth = (load_bytes_at(block.high + i) >> part & 1) << 4;
      store_loose(to + i, by * floats_of((part % 2 == 0 ? q & 15 : q >> 4) | fifth) - minus);
    }
  }
}

ATTNSCOPE_INLINE void write_block(const Q6_KBlock& block, float* to) {
  const float scale = block.d;
  ATTNSCOPE_UNROLL for (int part = 0; part < 8; ++part, to += 32) {
    const uint8_t* const from = block.q + part / 4 * 64 + part % 2 * 32;
    const uint8_t* const above = block.high + part / 4 * 32;
    ATTNSCOPE_UNROLL for (int i = 0; i < 32; i += W) {
      const Bytes q = load_bytes_at(from + i), two = (load_bytes_at(above + i) >> part % 4 * 2 & 3) << 4;
      const Vec by = all(scale * in_float(block.scales[part * 2 + i / 16]));
      store_loose(to + i, by * floats_of((SignedBytes)((part % 4 < 2 ? q & 15 : q >> 4) | two) - 32));
    }
  }
}

template <class Block>
static void write_vectors(const uint8_t* bytes, int64_t count, float* to) {
  for (const float* const end = to + count; to != end; to += Block::elements, bytes += sizeof(Block))
    write_block(*reinterpret_cast<const Block*>(bytes), to);
}

static void widen_numbers(ElementType type, const uint8_t* bytes, int64_t count, float* to) {
  switch (type) {
#if defined(__AVX512F__) && ATTNSCOPE_LANES == 16
    case ElementType::Q4_0: return write_vectors<Q4_0Block>(bytes, count, to);
    case ElementType::Q4_1: return write_vectors<Q4_1Block>(bytes, count, to);
#endif
    case ElementType::Q8_0: return write_vectors<Q8_0Block>(bytes, count, to);
    case ElementType::Q5_0: return write_vectors<Q5_0Block>(bytes, count, to);
    case ElementType::Q5_1: return write_vectors<Q5_1Block>(bytes, count, to);
    case ElementType::Q4_K: return write_vectors<Q4_KBlock>(bytes, count, to);
    case ElementType::Q5_K: return write_vectors<Q5_KBlock>(bytes, count, to);
    case ElementType::Q6_K: return write_vectors<Q6_KBlock>(bytes, count, to);
    case ElementType::BFloat16:
      for (; count >= W; count -= W, bytes += 2 * W, to += W)
        store_loose(
            to, (Vec)(__builtin_convertvector(*reinterpret_cast<const PackedHalves*>(bytes), IntVec) << 16));
      break;
#if defined(__F16C__)
    case ElementType::Float16:
      for (; count >= 8; count -= 8, bytes += 16, to += 8)
        _mm256_storeu_ps(to, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes))));
      break;
#endif
    default: break;
  }
  write_floats(type, bytes, count, to);
}

}  // namespace attnscope::streaming::ATTNSCOPE_KERNEL
