// core/streaming/kernels: converts stored numbers to floats with the vectors of one instruction set, since
// compilers do not vectorise the loops of stored_numbers.hpp. Included by the kernels only.
#pragma once

#include "core/base/stored_numbers.hpp"
#include "core/streaming/kernels/kernels.hpp"
#include "core/streaming/kernels/lanes.hpp"

namespace attnscope::streaming::ATTNSCOPE_KERNEL {

typedef uint8_t Bytes __attribute__((vector_size(W), aligned(1), may_alias));
typedef int8_t SignedBytes __attribute__((vector_size(W), aligned(1), may_alias));
typedef uint16_t PackedHalves __attribute__((vector_size(2 * W), aligned(1), may_alias));

ATTNSCOPE_INLINE Bytes load_bytes_at(const uint8_t* from) { return *reinterpret_cast<const Bytes*>(from); }

/// W integers, one byte each, as floats. gcc 12 splits some vectors for this conversion, so intrinsics are
/// used if there are any.
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

/// A block's scale, or its scale and minimum, in all lanes. Both halves are read at once if the machine has
/// an instruction for it.
ATTNSCOPE_INLINE Vec scale_of(const HalfBytes& d) {
#if defined(__AVX512F__) && ATTNSCOPE_LANES == 16
  uint16_t bits;
  memcpy(&bits, &d, sizeof bits);
  return (Vec)_mm512_broadcastss_ps(_mm_cvtph_ps(_mm_cvtsi32_si128(bits)));
#else
  return all(static_cast<float>(d));
#endif
}
struct ScaleAndLeast {
  Vec scale, least;
  template <class Block>
  explicit ScaleAndLeast(const Block& block) {
#if defined(__AVX512F__) && ATTNSCOPE_LANES == 16
    uint32_t bits;
    memcpy(&bits, &block, sizeof bits);
    const __m128 both = _mm_cvtph_ps(_mm_cvtsi32_si128(static_cast<int>(bits)));
    scale = (Vec)_mm512_broadcastss_ps(both);
    least = (Vec)_mm512_broadcastss_ps(_mm_movehdup_ps(both));
#else
    scale = all(static_cast<float>(block.d)), least = all(static_cast<float>(block.m));
#endif
  }
};

/// Each overload calls emit(i, x) for a block's numbers [i, i + W), in their order.
template <class Emit>
ATTNSCOPE_INLINE void each_vector(const Q8_0Block& block, Emit emit) {
  const Vec scale = scale_of(block.d);
  ATTNSCOPE_UNROLL for (int i = 0; i < 32; i += W)
      emit(i, scale * floats_of(*reinterpret_cast<const SignedBytes*>(block.q + i)));
}

/// Four bits each: low halves of 16 bytes, then the high ones. `make` converts the integers to values.
template <class Make, class Emit>
ATTNSCOPE_INLINE void each_four_bits(const uint8_t (&q)[16], Make make, Emit emit) {
#if defined(__AVX512F__) && ATTNSCOPE_LANES == 16
  // A table of the sixteen possible values in one register, indexed by the low four bits.
  constexpr Vec first_numbers = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  const __m512 table = (__m512)make(first_numbers);
  const __m512i at = _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(q)));
  emit(0, (Vec)_mm512_permutexvar_ps(at, table));
  emit(16, (Vec)_mm512_permutexvar_ps(_mm512_srli_epi32(at, 4), table));
#else
  ATTNSCOPE_UNROLL for (int i = 0; i < 16; i += W) emit(i, make(floats_of(load_bytes_at(q + i) & 15)));
  ATTNSCOPE_UNROLL for (int i = 0; i < 16; i += W) emit(i + 16, make(floats_of(load_bytes_at(q + i) >> 4)));
#endif
}
template <class Emit>
ATTNSCOPE_INLINE void each_vector(const Q4_0Block& block, Emit emit) {
  const Vec scale = scale_of(block.d);
  each_four_bits(
      block.q, [&](Vec x) { return scale * (x - 8.0f); }, emit);
}
template <class Emit>
ATTNSCOPE_INLINE void each_vector(const Q4_1Block& block, Emit emit) {
  const ScaleAndLeast of(block);
  each_four_bits(
      block.q, [&](Vec x) { return of.scale * x + of.least; }, emit);
}

/// Five bits each: low halves of 16 bytes, then the high ones; the fifth bits are stored separately.
template <class Block, class Make, class Emit>
ATTNSCOPE_INLINE void each_five_bits(const Block& block, Make make, Emit emit) {
  const FifthBits fifth(block.high);
  ATTNSCOPE_UNROLL for (int i = 0; i < 16; i += W)
      emit(i, make((load_bytes_at(block.q + i) & 15) | load_bytes_at(fifth.of + i)));
  ATTNSCOPE_UNROLL for (int i = 0; i < 16; i += W)
      emit(i + 16, make(load_bytes_at(block.q + i) >> 4 | load_bytes_at(fifth.of + i + 16)));
}
template <class Emit>
ATTNSCOPE_INLINE void each_vector(const Q5_0Block& block, Emit emit) {
  const Vec scale = scale_of(block.d);
  each_five_bits(
      block, [&](Bytes q) { return scale * floats_of((SignedBytes)q - 16); }, emit);
}
template <class Emit>
ATTNSCOPE_INLINE void each_vector(const Q5_1Block& block, Emit emit) {
  const Vec scale = all(static_cast<float>(block.d)), least = all(static_cast<float>(block.m));
  each_five_bits(
      block, [&](Bytes q) { return scale * floats_of(q) + least; }, emit);
}

template <class Emit>
ATTNSCOPE_INLINE void each_vector(const Q4_KBlock& block, Emit emit) {
  const float scale = block.d, least = block.m;
  const SixBits six(block.scales);
  ATTNSCOPE_UNROLL for (int part = 0; part < 8; ++part) {
    const Vec by = all(scale * in_float(six.scale[part])), minus = all(least * in_float(six.least[part]));
    const uint8_t* const from = block.q + part / 2 * 32;
    ATTNSCOPE_UNROLL for (int i = 0; i < 32; i += W) {
      const Bytes q = load_bytes_at(from + i);
      emit(part * 32 + i, by * floats_of(part % 2 == 0 ? q & 15 : q >> 4) - minus);
    }
  }
}

template <class Emit>
ATTNSCOPE_INLINE void each_vector(const Q5_KBlock& block, Emit emit) {
  const float scale = block.d, least = block.m;
  const SixBits six(block.scales);
  ATTNSCOPE_UNROLL for (int part = 0; part < 8; ++part) {
    const Vec by = all(scale * in_float(six.scale[part])), minus = all(least * in_float(six.least[part]));
    const uint8_t* const from = block.q + part / 2 * 32;
    ATTNSCOPE_UNROLL for (int i = 0; i < 32; i += W) {
      const Bytes q = load_bytes_at(from + i), fifth = (load_bytes_at(block.high + i) >> part & 1) << 4;
      emit(part * 32 + i, by * floats_of((part % 2 == 0 ? q & 15 : q >> 4) | fifth) - minus);
    }
  }
}

template <class Emit>
ATTNSCOPE_INLINE void each_vector(const Q6_KBlock& block, Emit emit) {
  const float scale = block.d;
  ATTNSCOPE_UNROLL for (int part = 0; part < 8; ++part) {
    const uint8_t* const from = block.q + part / 4 * 64 + part % 2 * 32;
    const uint8_t* const above = block.high + part / 4 * 32;
    ATTNSCOPE_UNROLL for (int i = 0; i < 32; i += W) {
      const Bytes q = load_bytes_at(from + i), two = (load_bytes_at(above + i) >> part % 4 * 2 & 3) << 4;
      const Vec by = all(scale * in_float(block.scales[part * 2 + i / 16]));
      emit(part * 32 + i, by * floats_of((SignedBytes)((part % 4 < 2 ? q & 15 : q >> 4) | two) - 32));
    }
  }
}

/// Types in parts have no code of their own: integers of a byte each are unpacked 32 at a time.
template <is_in_parts Block, class Emit>
ATTNSCOPE_INLINE void each_vector(const Block& block, Emit emit) {
  Part part;
  for (int p = 0; p < Block::elements / 32; ++p) {
    block.part(p, part);
    ATTNSCOPE_UNROLL for (int i = 0; i < 32; i += W) {
      Vec x = all(part.scale[i / 16]) * floats_of(*reinterpret_cast<const SignedBytes*>(part.q + i));
      if constexpr (has_least<Block>) x -= all(part.least[i / 16]);
      emit(p * 32 + i, x);
    }
  }
}

/// W 16-bit numbers that are the high halves of floats.
struct BFloats {
  static constexpr int elements = W;
  PackedHalves high;
};
template <class Emit>
ATTNSCOPE_INLINE void each_vector(const BFloats& block, Emit emit) {
  emit(0, (Vec)(__builtin_convertvector(block.high, IntVec) << 16));
}

/// Calls fn with a null pointer to the block type, if there is vector code for it; false for other types.
template <class Fn>
ATTNSCOPE_INLINE bool with_blocks_of(ElementType type, Fn fn) {
  switch (type) {
    case ElementType::Q8_0: return fn(static_cast<const Q8_0Block*>(nullptr)), true;
    case ElementType::Q4_0: return fn(static_cast<const Q4_0Block*>(nullptr)), true;
    case ElementType::Q4_1: return fn(static_cast<const Q4_1Block*>(nullptr)), true;
    case ElementType::Q5_0: return fn(static_cast<const Q5_0Block*>(nullptr)), true;
    case ElementType::Q5_1: return fn(static_cast<const Q5_1Block*>(nullptr)), true;
    case ElementType::Q4_K: return fn(static_cast<const Q4_KBlock*>(nullptr)), true;
    case ElementType::Q5_K: return fn(static_cast<const Q5_KBlock*>(nullptr)), true;
    case ElementType::Q6_K: return fn(static_cast<const Q6_KBlock*>(nullptr)), true;
    case ElementType::Q2_K: return fn(static_cast<const Q2_KBlock*>(nullptr)), true;
    case ElementType::Q3_K: return fn(static_cast<const Q3_KBlock*>(nullptr)), true;
    case ElementType::IQ1_S: return fn(static_cast<const IQ1_SBlock*>(nullptr)), true;
    case ElementType::IQ1_M: return fn(static_cast<const IQ1_MBlock*>(nullptr)), true;
    case ElementType::IQ2_XXS: return fn(static_cast<const IQ2_XXSBlock*>(nullptr)), true;
    case ElementType::IQ2_XS: return fn(static_cast<const IQ2_XSBlock*>(nullptr)), true;
    case ElementType::IQ2_S: return fn(static_cast<const IQ2_SBlock*>(nullptr)), true;
    case ElementType::IQ3_XXS: return fn(static_cast<const IQ3_XXSBlock*>(nullptr)), true;
    case ElementType::IQ3_S: return fn(static_cast<const IQ3_SBlock*>(nullptr)), true;
    case ElementType::IQ4_NL: return fn(static_cast<const IQ4_NLBlock*>(nullptr)), true;
    case ElementType::IQ4_XS: return fn(static_cast<const IQ4_XSBlock*>(nullptr)), true;
    case ElementType::TQ1_0: return fn(static_cast<const TQ1_0Block*>(nullptr)), true;
    case ElementType::TQ2_0: return fn(static_cast<const TQ2_0Block*>(nullptr)), true;
    case ElementType::MXFP4: return fn(static_cast<const MXFP4Block*>(nullptr)), true;
    case ElementType::NVFP4: return fn(static_cast<const NVFP4Block*>(nullptr)), true;
    case ElementType::BFloat16: return fn(static_cast<const BFloats*>(nullptr)), true;
    default: return false;
  }
}

static void widen_numbers(ElementType type, const uint8_t* bytes, int64_t count, float* to) {
  with_blocks_of(type, [&]<class Block>(const Block*) {
    for (; count >= Block::elements; count -= Block::elements, bytes += sizeof(Block), to += Block::elements)
      each_vector(*reinterpret_cast<const Block*>(bytes), [&](int i, Vec x) { store_loose(to + i, x); });
  });
#if defined(__F16C__)
  if (type == ElementType::Float16) {
    for (; count >= 8; count -= 8, bytes += 16, to += 8)
      _mm256_storeu_ps(to, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes))));
  }
#endif
  if (count > 0) write_floats(type, bytes, count, to);
}

}  // namespace attnscope::streaming::ATTNSCOPE_KERNEL
