// core/base/coded: the half floats of stored blocks. Included once for each instruction set: see
// stored_numbers.hpp.
#pragma once

#include <stdint.h>
#include <string.h>

#if defined(__F16C__)
#include <immintrin.h>
#endif

namespace attnscope {
namespace {

inline float in_float(int value) { return static_cast<float>(value); }

/// The float16 with these bits; exact.
inline float half_of(uint16_t bits) {
#if defined(__F16C__)
  return _cvtsh_ss(bits);
#else
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000) << 16,
                 rest = static_cast<uint32_t>(bits & 0x7fff) << 13;
  // The exponent's bias is 127 instead of 15; the product makes numbers below 2^-14 normal.
  uint32_t magnitude = rest;
  if (rest >= 0x0f800000) {
    magnitude += 0x70000000;  // infinity or NaN
  } else {
    float value;
    memcpy(&value, &rest, sizeof value);
    value *= 0x1p112f;
    memcpy(&magnitude, &value, sizeof value);
  }
  magnitude |= sign;
  float value;
  memcpy(&value, &magnitude, sizeof value);
  return value;
#endif
}

struct HalfBytes {
  uint8_t bytes[2];
  operator float() const { return half_of(static_cast<uint16_t>(bytes[0] | bytes[1] << 8)); }
};

}  // namespace
}  // namespace attnscope
