// core/base: conversion of the quantised blocks of GGUF, and of two-byte floats, to floats. Included once for
// each instruction set: everything has internal linkage and uses no library, so that no code compiled for
// wide vectors is linked into code for a machine without them.
#pragma once

#include <stdint.h>
#include <string.h>

#include "core/base/coded/part_blocks.hpp"
#include "core/base/coded/stored_half.hpp"
#include "core/base/element_type.hpp"

namespace attnscope {
namespace {

// Each struct is a block in the layout of ggml-common.h of llama.cpp. It has byte members only, since blocks
// lie at any address in a file. write() converts its numbers to floats; `to` must not overlap the block, and
// the loops have fixed lengths, so that compilers vectorise them. A number is a multiple of the scale d, plus
// or minus a minimum m in some types: the multiple is exact (11 and at most 10 more bits), so a fused
// multiply-add gives the same bits.

/// The fifth bits of 32 elements, as 16 or 0.
struct FifthBits {
  uint8_t of[32];
  explicit FifthBits(const uint8_t (&high)[4]) {
    for (int i = 0; i < 4; ++i) {
      // Byte k keeps bit k alone; adding 127 carries a set bit to the byte's highest bit.
      const uint64_t one_each = high[i] * 0x0101010101010101u & 0x8040201008040201u;
      const uint64_t sixteens = (one_each + 0x7f7f7f7f7f7f7f7fu) >> 3 & 0x1010101010101010u;
      memcpy(of + 8 * i, &sixteens, sizeof sixteens);
    }
  }
};

struct Q8_0Block {
  static constexpr int elements = 32;
  HalfBytes d;
  int8_t q[32];

  void write(float* __restrict to) const {
    const float scale = d;
    for (int i = 0; i < 32; ++i) to[i] = scale * in_float(q[i]);
  }
};

struct Q4_0Block {
  static constexpr int elements = 32;
  HalfBytes d;
  uint8_t q[16];  // elements i and i + 16

  void write(float* __restrict to) const {
    const float scale = d;
    for (int i = 0; i < 16; ++i) to[i] = scale * in_float((q[i] & 15) - 8);
    for (int i = 0; i < 16; ++i) to[i + 16] = scale * in_float((q[i] >> 4) - 8);
  }
};

struct Q4_1Block {
  static constexpr int elements = 32;
  HalfBytes d, m;
  uint8_t q[16];

  void write(float* __restrict to) const {
    const float scale = d, least = m;
    for (int i = 0; i < 16; ++i) to[i] = scale * in_float(q[i] & 15) + least;
    for (int i = 0; i < 16; ++i) to[i + 16] = scale * in_float(q[i] >> 4) + least;
  }
};

struct Q5_0Block {
  static constexpr int elements = 32;
  HalfBytes d;
  uint8_t high[4];
  uint8_t q[16];

  void write(float* __restrict to) const {
    const float scale = d;
    const FifthBits fifth(high);
    for (int i = 0; i < 16; ++i) to[i] = scale * in_float(((q[i] & 15) | fifth.of[i]) - 16);
    for (int i = 0; i < 16; ++i) to[i + 16] = scale * in_float((q[i] >> 4 | fifth.of[i + 16]) - 16);
  }
};

struct Q5_1Block {
  static constexpr int elements = 32;
  HalfBytes d, m;
  uint8_t high[4];
  uint8_t q[16];

  void write(float* __restrict to) const {
    const float scale = d, least = m;
    const FifthBits fifth(high);
    for (int i = 0; i < 16; ++i) to[i] = scale * in_float((q[i] & 15) | fifth.of[i]) + least;
    for (int i = 0; i < 16; ++i) to[i + 16] = scale * in_float(q[i] >> 4 | fifth.of[i + 16]) + least;
  }
};

/// Eight scales and eight minima of six bits in twelve bytes: the first four of each lie in the low six bits
/// of bytes 0–3 and 4–7; the others have their low four bits in the halves of bytes 8–11 and their high two
/// in the high two of bytes 0–7.
struct SixBits {
  int scale[8], least[8];
  explicit SixBits(const uint8_t (&bytes)[12]) {
    for (int i = 0; i < 4; ++i) {
      scale[i] = bytes[i] & 63;
      least[i] = bytes[i + 4] & 63;
      scale[i + 4] = (bytes[i + 8] & 15) | (bytes[i] >> 2 & 48);
      least[i + 4] = bytes[i + 8] >> 4 | (bytes[i + 4] >> 2 & 48);
    }
  }
};

struct Q4_KBlock {
  static constexpr int elements = 256;
  HalfBytes d, m;
  uint8_t scales[12];
  uint8_t q[128];  // 32 bytes hold 32 elements in their low halves and the next 32 in their high ones

  void write(float* __restrict to) const {
    const float scale = d, least = m;
    const SixBits six(scales);
    for (int part = 0; part < 8; ++part, to += 32) {
      const float by = scale * in_float(six.scale[part]), minus = least * in_float(six.least[part]);
      const uint8_t* const from = q + part / 2 * 32;
      const int shift = part % 2 == 0 ? 0 : 4;
      for (int i = 0; i < 32; ++i) to[i] = by * in_float(from[i] >> shift & 15) - minus;
    }
  }
};

struct Q5_KBlock {
  static constexpr int elements = 256;
  HalfBytes d, m;
  uint8_t scales[12];
  uint8_t high[32];  // bit p of byte i: the fifth bit of element 32·p + i
  uint8_t q[128];

  void write(float* __restrict to) const {
    const float scale = d, least = m;
    const SixBits six(scales);
    for (int part = 0; part < 8; ++part, to += 32) {
      const float by = scale * in_float(six.scale[part]), minus = least * in_float(six.least[part]);
      const uint8_t* const from = q + part / 2 * 32;
      const int shift = part % 2 == 0 ? 0 : 4;
      for (int i = 0; i < 32; ++i)
        to[i] = by * in_float((from[i] >> shift & 15) | (high[i] >> part & 1) << 4) - minus;
    }
  }
};

struct Q6_KBlock {
  static constexpr int elements = 256;
  uint8_t q[128];    // 64 bytes hold 64 elements in their low halves and the next 64 in their high ones
  uint8_t high[64];  // 32 bytes hold the high two bits of four times 32 elements, low bits first
  int8_t scales[16];
  HalfBytes d;

  void write(float* __restrict to) const {
    const float scale = d;
    for (int part = 0; part < 8; ++part, to += 32) {
      const uint8_t* const from = q + part / 4 * 64 + part % 2 * 32;
      const uint8_t* const above = high + part / 4 * 32;
      const int shift = part % 4 < 2 ? 0 : 4, two = part % 4 * 2;
      for (int half = 0; half < 2; ++half) {
        const float by = scale * in_float(scales[part * 2 + half]);
        for (int i = half * 16; i < half * 16 + 16; ++i)
          to[i] = by * in_float(((from[i] >> shift & 15) | (above[i] >> two & 3) << 4) - 32);
      }
    }
  }
};

/// Each block is copied first: otherwise the compiler must assume that `bytes` and `to` overlap, and does not
/// vectorise the loops.
template <class Block>
void write_blocks(const uint8_t* bytes, int64_t count, float* to) {
  for (const float* const end = to + count; to != end; to += Block::elements, bytes += sizeof(Block)) {
    Block block;
    memcpy(&block, bytes, sizeof block);
    if constexpr (is_in_parts<Block>)
      write_parts(block, to);
    else
      block.write(to);
  }
}

/// A single stored number.
struct Float32Number {
  static constexpr int elements = 1;
  uint8_t bytes[4];
  void write(float* __restrict to) const { memcpy(to, bytes, sizeof *to); }
};
struct BFloat16Number {
  static constexpr int elements = 1;
  uint8_t bytes[2];
  void write(float* __restrict to) const {
    const uint32_t bits = static_cast<uint32_t>(bytes[0] | bytes[1] << 8) << 16;
    memcpy(to, &bits, sizeof bits);
  }
};
struct Float16Number {
  static constexpr int elements = 1;
  HalfBytes half;
  void write(float* __restrict to) const { *to = half; }
};

static_assert(alignof(Q8_0Block) == 1 && alignof(Q5_KBlock) == 1 && alignof(Q6_KBlock) == 1);
static_assert(sizeof(Q8_0Block) == 34 && sizeof(Q4_0Block) == 18 && sizeof(Q4_1Block) == 20);
static_assert(sizeof(Q5_0Block) == 22 && sizeof(Q5_1Block) == 24);
static_assert(sizeof(Q4_KBlock) == 144 && sizeof(Q5_KBlock) == 176 && sizeof(Q6_KBlock) == 210);

/// Converts `count` numbers, in whole blocks, from `bytes` at any address.
inline void write_floats(ElementType type, const uint8_t* bytes, int64_t count, float* to) {
  switch (type) {
    case ElementType::Float32: return write_blocks<Float32Number>(bytes, count, to);
    case ElementType::BFloat16: return write_blocks<BFloat16Number>(bytes, count, to);
    case ElementType::Float16: return write_blocks<Float16Number>(bytes, count, to);
    case ElementType::Q8_0: return write_blocks<Q8_0Block>(bytes, count, to);
    case ElementType::Q4_0: return write_blocks<Q4_0Block>(bytes, count, to);
    case ElementType::Q4_1: return write_blocks<Q4_1Block>(bytes, count, to);
    case ElementType::Q5_0: return write_blocks<Q5_0Block>(bytes, count, to);
    case ElementType::Q5_1: return write_blocks<Q5_1Block>(bytes, count, to);
    case ElementType::Q4_K: return write_blocks<Q4_KBlock>(bytes, count, to);
    case ElementType::Q5_K: return write_blocks<Q5_KBlock>(bytes, count, to);
    case ElementType::Q6_K: return write_blocks<Q6_KBlock>(bytes, count, to);
    case ElementType::Q2_K: return write_blocks<Q2_KBlock>(bytes, count, to);
    case ElementType::Q3_K: return write_blocks<Q3_KBlock>(bytes, count, to);
    case ElementType::IQ1_S: return write_blocks<IQ1_SBlock>(bytes, count, to);
    case ElementType::IQ1_M: return write_blocks<IQ1_MBlock>(bytes, count, to);
    case ElementType::IQ2_XXS: return write_blocks<IQ2_XXSBlock>(bytes, count, to);
    case ElementType::IQ2_XS: return write_blocks<IQ2_XSBlock>(bytes, count, to);
    case ElementType::IQ2_S: return write_blocks<IQ2_SBlock>(bytes, count, to);
    case ElementType::IQ3_XXS: return write_blocks<IQ3_XXSBlock>(bytes, count, to);
    case ElementType::IQ3_S: return write_blocks<IQ3_SBlock>(bytes, count, to);
    case ElementType::IQ4_NL: return write_blocks<IQ4_NLBlock>(bytes, count, to);
    case ElementType::IQ4_XS: return write_blocks<IQ4_XSBlock>(bytes, count, to);
    case ElementType::TQ1_0: return write_blocks<TQ1_0Block>(bytes, count, to);
    case ElementType::TQ2_0: return write_blocks<TQ2_0Block>(bytes, count, to);
    case ElementType::MXFP4: return write_blocks<MXFP4Block>(bytes, count, to);
    case ElementType::NVFP4: return write_blocks<NVFP4Block>(bytes, count, to);
    case ElementType::Coded: return;
  }
}

}  // namespace
}  // namespace attnscope
