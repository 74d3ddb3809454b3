#include "core/base/quantised.hpp"

#include <array>
#include <bit>
#include <cassert>
#include <cstdint>
#include <cstring>

#include <Eigen/Core>

namespace attnscope {
namespace {

// Each struct is a block byte by byte, as ggml-common.h of llama.cpp lays it out, and lies in the file at any
// address: it has bytes only. write() puts its numbers into floats that are somewhere else; its loops have
// fixed lengths and become vector code. A number is a multiple of the scale d, plus or minus a minimum m
// where there is one; -ffp-contract=off keeps both operations rounded.

template <std::size_t size>
using ByteArray = std::array<std::uint8_t, size>;

float in_float(int value) { return static_cast<float>(value); }

struct HalfBytes {
  ByteArray<2> bytes;
  operator float() const { return static_cast<float>(std::bit_cast<Eigen::half>(bytes)); }
};

/// The fifth bits of 32 elements, as 16 or 0.
ByteArray<32> fifth_bits(const ByteArray<4>& high) {
  ByteArray<32> fifth;
  for (std::size_t i = 0; i < 4; ++i) {
    // Byte k has bit k alone; adding 127 carries it, whichever it is, to the byte's highest place.
    const std::uint64_t one_each = high[i] * 0x0101010101010101u & 0x8040201008040201u;
    const std::uint64_t sixteens = (one_each + 0x7f7f7f7f7f7f7f7fu) >> 3 & 0x1010101010101010u;
    std::memcpy(fifth.data() + 8 * i, &sixteens, sizeof sixteens);
  }
  return fifth;
}

struct Q8_0Block {
  static constexpr int elements = 32;
  HalfBytes d;
  std::array<std::int8_t, 32> q;

  void write(float* __restrict to) const {
    const float scale = d;
    for (std::size_t i = 0; i < 32; ++i) to[i] = scale * in_float(q[i]);
  }
};

struct Q4_0Block {
  static constexpr int elements = 32;
  HalfBytes d;
  ByteArray<16> q;  // elements i and i + 16

  void write(float* __restrict to) const {
    const float scale = d;
    for (std::size_t i = 0; i < 16; ++i) to[i] = scale * in_float((q[i] & 15) - 8);
    for (std::size_t i = 0; i < 16; ++i) to[i + 16] = scale * in_float((q[i] >> 4) - 8);
  }
};

struct Q4_1Block {
  static constexpr int elements = 32;
  HalfBytes d, m;
  ByteArray<16> q;

  void write(float* __restrict to) const {
    const float scale = d, least = m;
    for (std::size_t i = 0; i < 16; ++i) to[i] = scale * in_float(q[i] & 15) + least;
    for (std::size_t i = 0; i < 16; ++i) to[i + 16] = scale * in_float(q[i] >> 4) + least;
  }
};

struct Q5_0Block {
  static constexpr int elements = 32;
  HalfBytes d;
  ByteArray<4> high;
  ByteArray<16> q;

  void write(float* __restrict to) const {
    const float scale = d;
    const ByteArray<32> fifth = fifth_bits(high);
    for (std::size_t i = 0; i < 16; ++i) to[i] = scale * in_float(((q[i] & 15) | fifth[i]) - 16);
    for (std::size_t i = 0; i < 16; ++i) to[i + 16] = scale * in_float((q[i] >> 4 | fifth[i + 16]) - 16);
  }
};

struct Q5_1Block {
  static constexpr int elements = 32;
  HalfBytes d, m;
  ByteArray<4> high;
  ByteArray<16> q;

  void write(float* __restrict to) const {
    const float scale = d, least = m;
    const ByteArray<32> fifth = fifth_bits(high);
    for (std::size_t i = 0; i < 16; ++i) to[i] = scale * in_float((q[i] & 15) | fifth[i]) + least;
    for (std::size_t i = 0; i < 16; ++i) to[i + 16] = scale * in_float(q[i] >> 4 | fifth[i + 16]) + least;
  }
};

/// Eight scales and eight minima of six bits in twelve bytes: the first four of each lie in the low six bits
/// of bytes 0–3 and 4–7; the others have their low four bits in the halves of bytes 8–11 and their high two
/// in the high two of bytes 0–7.
struct SixBits {
  std::array<int, 8> scale, least;
  explicit SixBits(const ByteArray<12>& bytes) {
    for (std::size_t i = 0; i < 4; ++i) {
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
  ByteArray<12> scales;
  ByteArray<128> q;  // 32 bytes hold 32 elements in their low halves and the next 32 in their high ones

  void write(float* __restrict to) const {
    const float scale = d, least = m;
    const SixBits six(scales);
    for (std::size_t part = 0; part < 8; ++part, to += 32) {
      const float by = scale * in_float(six.scale[part]), minus = least * in_float(six.least[part]);
      const std::uint8_t* const from = q.data() + part / 2 * 32;
      const int shift = part % 2 == 0 ? 0 : 4;
      for (std::size_t i = 0; i < 32; ++i) to[i] = by * in_float(from[i] >> shift & 15) - minus;
    }
  }
};

struct Q5_KBlock {
  static constexpr int elements = 256;
  HalfBytes d, m;
  ByteArray<12> scales;
  ByteArray<32> high;  // bit p of byte i: the fifth bit of element 32·p + i
  ByteArray<128> q;

  void write(float* __restrict to) const {
    const float scale = d, least = m;
    const SixBits six(scales);
    for (std::size_t part = 0; part < 8; ++part, to += 32) {
      const float by = scale * in_float(six.scale[part]), minus = least * in_float(six.least[part]);
      const std::uint8_t* const from = q.data() + part / 2 * 32;
      const int shift = part % 2 == 0 ? 0 : 4;
      for (std::size_t i = 0; i < 32; ++i)
        to[i] = by * in_float((from[i] >> shift & 15) | (high[i] >> part & 1) << 4) - minus;
    }
  }
};

struct Q6_KBlock {
  static constexpr int elements = 256;
  ByteArray<128> q;    // 64 bytes hold 64 elements in their low halves and the next 64 in their high ones
  ByteArray<64> high;  // 32 bytes hold the high two bits of four times 32 elements, low bits first
  std::array<std::int8_t, 16> scales;
  HalfBytes d;

  void write(float* __restrict to) const {
    const float scale = d;
    for (std::size_t part = 0; part < 8; ++part, to += 32) {
      const std::uint8_t* const from = q.data() + part / 4 * 64 + part % 2 * 32;
      const std::uint8_t* const above = high.data() + part / 4 * 32;
      const int shift = part % 4 < 2 ? 0 : 4, two = static_cast<int>(part % 4) * 2;
      for (std::size_t half = 0; half < 2; ++half) {
        const float by = scale * in_float(scales[part * 2 + half]);
        for (std::size_t i = half * 16; i < half * 16 + 16; ++i)
          to[i] = by * in_float(((from[i] >> shift & 15) | (above[i] >> two & 3) << 4) - 32);
      }
    }
  }
};

template <class OneBlock>
void write_blocks(std::span<const std::byte> bytes, std::span<float> to) {
  const std::size_t count = to.size() / OneBlock::elements;
  assert(bytes.size() == count * sizeof(OneBlock));
  for (std::size_t i = 0; i < count; ++i) {
    const auto* const block = reinterpret_cast<const OneBlock*>(bytes.data() + i * sizeof(OneBlock));
    block->write(to.data() + i * OneBlock::elements);
  }
}

static_assert(alignof(Q8_0Block) == 1 && alignof(Q5_KBlock) == 1 && alignof(Q6_KBlock) == 1);
static_assert(sizeof(Q8_0Block) == 34 && sizeof(Q4_0Block) == 18 && sizeof(Q4_1Block) == 20);
static_assert(sizeof(Q5_0Block) == 22 && sizeof(Q5_1Block) == 24);
static_assert(sizeof(Q4_KBlock) == 144 && sizeof(Q5_KBlock) == 176 && sizeof(Q6_KBlock) == 210);

}  // namespace

void dequantise(ElementType type, std::span<const std::byte> bytes, std::span<float> to) {
  switch (type) {
    case ElementType::Q8_0: return write_blocks<Q8_0Block>(bytes, to);
    case ElementType::Q4_0: return write_blocks<Q4_0Block>(bytes, to);
    case ElementType::Q4_1: return write_blocks<Q4_1Block>(bytes, to);
    case ElementType::Q5_0: return write_blocks<Q5_0Block>(bytes, to);
    case ElementType::Q5_1: return write_blocks<Q5_1Block>(bytes, to);
    case ElementType::Q4_K: return write_blocks<Q4_KBlock>(bytes, to);
    case ElementType::Q5_K: return write_blocks<Q5_KBlock>(bytes, to);
    case ElementType::Q6_K: return write_blocks<Q6_KBlock>(bytes, to);
    default: assert(false);  // no block type, which widen() keeps away
  }
}

}  // namespace attnscope
