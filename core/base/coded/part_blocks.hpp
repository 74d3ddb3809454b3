// core/base/coded: the quantised blocks of GGUF whose numbers have two or three bits, lie in a codebook or
// have values from a table. Included once for each instruction set: see stored_numbers.hpp.
#pragma once

#include <stdint.h>
#include <string.h>

#include "core/base/coded/codebooks.hpp"
#include "core/base/coded/stored_half.hpp"

namespace attnscope {
namespace {

typedef uint64_t TwoWords __attribute__((vector_size(16)));
typedef uint8_t SixteenBytes __attribute__((vector_size(16)));

/// 32 numbers of a block: number i is scale[i / 16] · q[i], minus least[i / 16] in the types that have it.
/// The products are exact in float32, so it does not matter which factor meets which first.
struct Part {
  alignas(32) int8_t q[32];
  float scale[2], least[2];

  void set(int first, SixteenBytes bytes) { memcpy(q + first, &bytes, sizeof bytes); }
  void scale_all(float by) { scale[0] = scale[1] = by; }
  /// Codeword g gives eight numbers, a byte each, negative where a byte of its mask is 255; none is 0.
  /// Sixteen are stored at once: a vector that is read over two shorter stores waits for both.
  template <class Word, class Mask>
  void set_signed(Word word, Mask mask) {
    for (int g = 0; g < 4; g += 2) {
      const TwoWords words = {word(g), word(g + 1)}, masks = {mask(g), mask(g + 1)};
      set(8 * g, (SixteenBytes)((words ^ masks) + (masks & 0x0101010101010101u)));
    }
  }
  /// The same plus 1, or minus 1 where `minus` says so.
  template <class Word, class Minus>
  void set_shifted(Word word, Minus minus) {
    const auto delta = [&](int g) { return minus(g) ? ~uint64_t{0} : uint64_t{0x0101010101010101}; };
    for (int g = 0; g < 4; g += 2) {
      const TwoWords words = {word(g), word(g + 1)}, deltas = {delta(g), delta(g + 1)};
      set(8 * g, (SixteenBytes)words + (SixteenBytes)deltas);
    }
  }
};

// Each struct is a block in the layout of ggml-common.h of llama.cpp, with byte members only. part() gives
// its numbers [32·p, 32·p + 32).

template <class Block>
concept is_in_parts = requires(const Block& block, Part& part) {
  block.part(0, part);
};

template <class Block>
inline constexpr bool has_least = requires {
  Block::has_least_of_its_own;
};

inline int sixteen_bits(const uint8_t* bytes) { return bytes[0] | bytes[1] << 8; }
inline uint32_t word_of(const uint8_t* bytes) {
  uint32_t word;
  memcpy(&word, bytes, sizeof word);
  return word;
}

/// Two bits of each of 16 bytes, from bit `shift` on. Words are shifted, since few machines
/// shift bytes.
inline SixteenBytes two_bits(const uint8_t* from, int shift) {
  TwoWords words;
  memcpy(&words, from, sizeof words);
  return (SixteenBytes)(words >> static_cast<uint64_t>(shift) & 0x0303030303030303u);
}

/// Four bits of each of 16 bytes, low ones first, as indices of a table.
inline void look_up(const int8_t (&table)[16], const uint8_t* nibbles, int8_t* to) {
#if defined(__AVX2__)
  const __m128i all = _mm_loadu_si128(reinterpret_cast<const __m128i*>(table)), low = _mm_set1_epi8(15);
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(nibbles));
  const __m128i first = _mm_shuffle_epi8(all, _mm_and_si128(bytes, low));
  const __m128i second = _mm_shuffle_epi8(all, _mm_and_si128(_mm_srli_epi16(bytes, 4), low));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), first);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to + 16), second);
#else
  for (int i = 0; i < 16; ++i) to[i] = table[nibbles[i] & 15];
  for (int i = 0; i < 16; ++i) to[i + 16] = table[nibbles[i] >> 4];
#endif
}

struct Q2_KBlock {
  static constexpr int elements = 256;
  static constexpr bool has_least_of_its_own = true;
  uint8_t scales[16];
  uint8_t q[64];  // 32 bytes hold four times 32 elements, lowest bits first
  HalfBytes d, m;

  void part(int p, Part& to) const {
    const float by = d, minus = m;
    for (int half = 0; half < 2; ++half) {
      const int both = scales[2 * p + half];
      to.scale[half] = by * static_cast<float>(both & 15);
      to.least[half] = minus * static_cast<float>(both >> 4);
    }
    const uint8_t* const from = q + p / 4 * 32;
    for (int i = 0; i < 32; i += 16) to.set(i, two_bits(from + i, p % 4 * 2));
  }
};

struct Q3_KBlock {
  static constexpr int elements = 256;
  uint8_t high[32];    // bit p of byte i: element 32·p + i, as the opposite of a third bit
  uint8_t q[64];       // as in Q2_K
  uint8_t scales[12];  // six bits each: the low four in eight bytes, the high two in the others
  HalfBytes d;

  void part(int p, Part& to) const {
    const float by = d;
    for (int half = 0; half < 2; ++half) {
      const int at = 2 * p + half;
      const int low = scales[at % 8] >> at / 8 * 4 & 15, above = scales[8 + at % 4] >> at / 4 * 2 & 3;
      to.scale[half] = by * static_cast<float>((low | above << 4) - 32);
    }
    const uint8_t* const from = q + p / 4 * 32;
    for (int i = 0; i < 32; i += 16)
      to.set(i, (two_bits(from + i, p % 4 * 2) | (two_bits(high + i, p) & 1) << 2) - 4);
  }
};

/// Five numbers of -1, 0 or 1 in a byte: as the digits of a fraction in base 3, the byte its 256 parts.
struct TQ1_0Block {
  static constexpr int elements = 256;
  uint8_t q[48];    // digit t of 32 bytes, then of 16
  uint8_t high[4];  // four digits each
  HalfBytes d;

  /// Digit t of 16 bytes, less 1.
  static SixteenBytes digits(SixteenBytes bytes, int t) {
    for (; t > 0; --t) bytes += bytes + bytes;  // modulo 256: the digits before it fall away
    return (SixteenBytes)(bytes <= 85) - (SixteenBytes)(bytes > 170);
  }
  static SixteenBytes sixteen(const uint8_t* from) {
    SixteenBytes bytes;
    memcpy(&bytes, from, sizeof bytes);
    return bytes;
  }
  void part(int p, Part& to) const {
    to.scale_all(d);
    if (p < 5) {
      for (int i = 0; i < 32; i += 16) to.set(i, digits(sixteen(q + i), p));
      return;
    }
    to.set(0, digits(sixteen(q + 32), 2 * p - 10));
    if (p < 7) return to.set(16, digits(sixteen(q + 32), 2 * p - 9));
    for (int t = 0; t < 4; ++t) {
      const SixteenBytes found = digits((SixteenBytes)TwoWords{word_of(high), 0}, t);
      memcpy(to.q + 16 + 4 * t, &found, 4);
    }
  }
};

struct TQ2_0Block {
  static constexpr int elements = 256;
  uint8_t q[64];  // as in Q2_K
  HalfBytes d;

  void part(int p, Part& to) const {
    to.scale_all(d);
    const uint8_t* const from = q + p / 4 * 32;
    for (int i = 0; i < 32; i += 16) to.set(i, two_bits(from + i, p % 4 * 2) - 1);
  }
};

/// Floats of four bits: a sign, two bits of exponent and one of fraction; twice their values.
inline constexpr int8_t e2m1_doubled[16] = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};
inline constexpr int8_t iq4_values[16] = {-127, -104, -83, -65, -49, -35, -22, -10,
                                          1,    13,   25,  38,  53,  69,  89,  113};

struct MXFP4Block {
  static constexpr int elements = 32;
  uint8_t e;      // the scale is 2^(e - 127), half of it for doubled values
  uint8_t q[16];  // elements i and i + 16

  void part(int, Part& to) const {
    const uint32_t bits = e < 2 ? uint32_t{0x00200000} << e : static_cast<uint32_t>(e - 1) << 23;
    float by;
    memcpy(&by, &bits, sizeof by);
    to.scale_all(by);
    look_up(e2m1_doubled, q, to.q);
  }
};

struct NVFP4Block {
  static constexpr int elements = 64;
  uint8_t d[4];   // E4M3 without a sign, of 16 numbers each
  uint8_t q[32];  // of every 16 numbers: elements i and i + 8

  static float half_scale(int byte) {
    if (byte == 0x7f) return 0;
    const int exponent = byte >> 3 & 15, fraction = byte & 7;
    const auto whole = static_cast<float>(exponent == 0 ? fraction : 8 + fraction);
    const uint32_t bits = static_cast<uint32_t>((exponent == 0 ? 1 : exponent) - 11 + 127) << 23;
    float power;
    memcpy(&power, &bits, sizeof power);
    return whole * power;
  }
  void part(int p, Part& to) const {
    for (int half = 0; half < 2; ++half) to.scale[half] = half_scale(d[2 * p + half]);
    int8_t found[32];
    look_up(e2m1_doubled, q + 16 * p, found);
    for (int quarter = 0; quarter < 4; ++quarter)
      memcpy(to.q + 8 * quarter, found + quarter / 2 * 8 + quarter % 2 * 16, 8);
  }
};

struct IQ4_NLBlock {
  static constexpr int elements = 32;
  HalfBytes d;
  uint8_t q[16];

  void part(int, Part& to) const {
    to.scale_all(d);
    look_up(iq4_values, q, to.q);
  }
};

struct IQ4_XSBlock {
  static constexpr int elements = 256;
  HalfBytes d;
  uint8_t high[2], low[4];  // of eight scales: two bits each, four bits each
  uint8_t q[128];

  void part(int p, Part& to) const {
    const int six = (low[p / 2] >> p % 2 * 4 & 15) | (sixteen_bits(high) >> 2 * p & 3) << 4;
    to.scale_all(d * static_cast<float>(six - 32));
    look_up(iq4_values, q + 16 * p, to.q);
  }
};

/// The scale of IQ2 is d · (s + ½) / 4; that of IQ3_XXS twice as much.
inline float in_eighths(float d, int s) { return d * static_cast<float>(2 * s + 1) * 0.125f; }

struct IQ2_XXSBlock {
  static constexpr int elements = 256;
  HalfBytes d;
  uint8_t q[64];  // of every 32 numbers: four codewords; four times seven signs and the scale

  void part(int p, Part& to) const {
    const uint8_t* const words = q + 8 * p;
    const uint32_t rest = word_of(words + 4);
    to.scale_all(in_eighths(d, static_cast<int>(rest >> 28)));
    to.set_signed([&](int g) { return iq2_xxs_words.of[words[g]]; },
                  [&](int g) { return even_sign_masks.of[rest >> 7 * g & 127]; });
  }
};

struct IQ2_XSBlock {
  static constexpr int elements = 256;
  HalfBytes d;
  uint8_t q[64];  // 16 bits: a codeword of nine and seven signs
  uint8_t scales[8];

  void part(int p, Part& to) const {
    to.scale[0] = in_eighths(d, scales[p] & 15);
    to.scale[1] = in_eighths(d, scales[p] >> 4);
    const auto both = [&](int g) { return sixteen_bits(q + 8 * p + 2 * g); };
    to.set_signed([&](int g) { return iq2_xs_words.of[both(g) & 511]; },
                  [&](int g) { return even_sign_masks.of[both(g) >> 9]; });
  }
};

struct IQ2_SBlock {
  static constexpr int elements = 256;
  HalfBytes d;
  uint8_t q[32], signs[32];
  uint8_t high[8];  // bits 8 and 9 of codewords
  uint8_t scales[8];

  void part(int p, Part& to) const {
    to.scale[0] = in_eighths(d, scales[p] & 15);
    to.scale[1] = in_eighths(d, scales[p] >> 4);
    to.set_signed([&](int g) { return iq2_s_words.of[q[4 * p + g] | (high[p] >> 2 * g & 3) << 8]; },
                  [&](int g) { return sign_masks.of[signs[4 * p + g]]; });
  }
};

struct IQ3_XXSBlock {
  static constexpr int elements = 256;
  HalfBytes d;
  uint8_t q[64];
  uint8_t scales[32];  // of every 32 numbers: four times seven signs and the scale

  void part(int p, Part& to) const {
    const uint8_t* const words = q + 8 * p;
    const uint32_t rest = word_of(scales + 4 * p);
    to.scale_all(2 * in_eighths(d, static_cast<int>(rest >> 28)));
    const auto four = [&](int k) -> uint64_t { return iq3_xxs_words.of[words[k]]; };
    to.set_signed([&](int g) { return four(2 * g) | four(2 * g + 1) << 32; },
                  [&](int g) { return even_sign_masks.of[rest >> 7 * g & 127]; });
  }
};

struct IQ3_SBlock {
  static constexpr int elements = 256;
  HalfBytes d;
  uint8_t q[64];
  uint8_t high[8];  // bit 8 of codewords
  uint8_t signs[32];
  uint8_t scales[4];

  void part(int p, Part& to) const {
    to.scale_all(d * static_cast<float>(2 * (scales[p / 2] >> p % 2 * 4 & 15) + 1));
    const uint8_t* const words = q + 8 * p;
    const int above = high[p] << 8;
    const auto four = [&](int k) -> uint64_t { return iq3_s_words.of[words[k] | (above >> k & 256)]; };
    to.set_signed([&](int g) { return four(2 * g) | four(2 * g + 1) << 32; },
                  [&](int g) { return sign_masks.of[signs[4 * p + g]]; });
  }
};

struct IQ1_SBlock {
  static constexpr int elements = 256;
  HalfBytes d;
  uint8_t q[32];
  uint8_t high[16];  // of every 32 numbers: four times three bits of codewords, three of the scale, one sign

  void part(int p, Part& to) const {
    const int both = sixteen_bits(high + 2 * p);
    to.scale_all(in_eighths(d, both >> 12 & 7));
    to.set_shifted([&](int g) { return iq1_words.of[q[4 * p + g] | (both >> 3 * g & 7) << 8]; },
                   [&](int) { return (both & 0x8000) != 0; });
  }
};

struct IQ1_MBlock {
  static constexpr int elements = 256;
  uint8_t q[32];
  uint8_t high[16];   // four bits of each codeword: three of its number, one sign
  uint8_t scales[8];  // 16 bits: four times three of a scale, and four of the block's own

  float own() const {
    int bits = 0;
    for (int i = 0; i < 4; ++i) bits |= (sixteen_bits(scales + 2 * i) >> 12) << 4 * i;
    return half_of(static_cast<uint16_t>(bits));
  }
  void part(int p, Part& to) const {
    const float by = own();
    const int six = sixteen_bits(scales + p / 2 * 2) >> p % 2 * 6;
    to.scale[0] = in_eighths(by, six & 7);
    to.scale[1] = in_eighths(by, six >> 3 & 7);
    const auto four = [&](int g) { return high[2 * p + g / 2] >> g % 2 * 4; };
    to.set_shifted([&](int g) { return iq1_words.of[q[4 * p + g] | (four(g) & 7) << 8]; },
                   [&](int g) { return (four(g) & 8) != 0; });
  }
};

template <is_in_parts Block>
void write_parts(const Block& block, float* __restrict to) {
  Part part;
  for (int p = 0; p < Block::elements / 32; ++p, to += 32) {
    block.part(p, part);
    for (int i = 0; i < 32; ++i) {
      to[i] = part.scale[i / 16] * static_cast<float>(part.q[i]);
      if constexpr (has_least<Block>) to[i] -= part.least[i / 16];
    }
  }
}

static_assert(sizeof(Q2_KBlock) == 84 && sizeof(Q3_KBlock) == 110 && sizeof(TQ1_0Block) == 54);
static_assert(sizeof(TQ2_0Block) == 66 && sizeof(MXFP4Block) == 17 && sizeof(NVFP4Block) == 36);
static_assert(sizeof(IQ4_NLBlock) == 18 && sizeof(IQ4_XSBlock) == 136 && sizeof(IQ2_XXSBlock) == 66);
static_assert(sizeof(IQ2_XSBlock) == 74 && sizeof(IQ2_SBlock) == 82 && sizeof(IQ3_XXSBlock) == 98);
static_assert(sizeof(IQ3_SBlock) == 110 && sizeof(IQ1_SBlock) == 50 && sizeof(IQ1_MBlock) == 56);

}  // namespace
}  // namespace attnscope
