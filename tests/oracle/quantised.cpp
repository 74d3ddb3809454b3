#include "oracle/quantised.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

namespace oracle {
namespace {

/// Bits [first, first + count) of the bytes, counted from the lowest bit of the first byte.
int bits(std::span<const std::uint8_t> bytes, std::size_t first, std::size_t count) {
  int value = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = first + i;
    if ((bytes[at / 8] >> (at % 8) & 1) != 0) value += 1 << i;
  }
  return value;
}

double half(std::span<const std::uint8_t> bytes) {
  const int fraction = bits(bytes, 0, 10), exponent = bits(bytes, 10, 5);
  const double sign = bits(bytes, 15, 1) != 0 ? -1 : 1;
  if (exponent == 31) {
    if (fraction != 0) return std::numeric_limits<double>::quiet_NaN();
    return sign * std::numeric_limits<double>::infinity();
  }
  return sign * (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25));
}

Dequantised sum(double a, double b) { return {a + b, std::abs(a) + std::abs(b)}; }

/// Scale or minimum number `which` of a K block: its low bits, then its high ones.
int six_bits(std::span<const std::uint8_t> scales, std::size_t which, bool minimum) {
  const std::size_t row = minimum ? 4 : 0;
  if (which < 4) return bits(scales, 8 * (row + which), 6);
  const int low = bits(scales, 8 * (8 + which - 4) + row, 4);
  return low + 16 * bits(scales, 8 * (row + which - 4) + 6, 2);
}

}  // namespace

Dequantised dequantised(std::string_view type, std::span<const std::uint8_t> block, std::size_t index) {
  const auto from = [&](std::size_t byte) { return block.subspan(byte); };
  // 32 elements in 16 bytes, 64 in 32: the first half is in the low four bits.
  const std::size_t nibble = 8 * (index % 16) + (index < 16 ? 0 : 4);
  const double d = half(type == "Q6_K" ? from(208) : block);
  if (type == "Q8_0") {
    const int byte = block[2 + index];
    return sum(d * (byte < 128 ? byte : byte - 256), 0);
  }
  if (type == "Q4_0") return sum(d * (bits(from(2), nibble, 4) - 8), 0);
  if (type == "Q4_1") return sum(d * bits(from(4), nibble, 4), half(from(2)));
  if (type == "Q5_0") return sum(d * (bits(from(6), nibble, 4) + 16 * bits(from(2), index, 1) - 16), 0);
  if (type == "Q5_1")
    return sum(d * (bits(from(8), nibble, 4) + 16 * bits(from(4), index, 1)), half(from(2)));
  const std::size_t in_pair = index % 64;
  const std::size_t k_nibble = 8 * (index / 64 * 32 + in_pair % 32) + (in_pair < 32 ? 0 : 4);
  if (type == "Q4_K" || type == "Q5_K") {
    const double scale = d * six_bits(from(4), index / 32, false);
    const double minimum = half(from(2)) * six_bits(from(4), index / 32, true);
    if (type == "Q4_K") return sum(scale * bits(from(16), k_nibble, 4), -minimum);
    const int fifth = bits(from(16), 8 * (index % 32) + index / 32, 1);
    return sum(scale * (bits(from(48), k_nibble, 4) + 16 * fifth), -minimum);
  }
  if (type == "Q6_K") {
    const std::size_t in_half = index % 128;
    const int low = bits(block, 8 * (index / 128 * 64 + in_half % 64) + (in_half < 64 ? 0 : 4), 4);
    const int high = bits(from(128), 8 * (index / 128 * 32 + index % 32) + in_half / 32 * 2, 2);
    const int byte = block[192 + index / 16];
    return sum(d * (byte < 128 ? byte : byte - 256) * (low + 16 * high - 32), 0);
  }
  throw std::invalid_argument("no quantised type");
}

}  // namespace oracle
