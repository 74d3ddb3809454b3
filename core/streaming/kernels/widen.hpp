// core/streaming/kernels: stored numbers as floats, with the vectors of one instruction set. Included by the
// kernels alone.
#pragma once

#include "core/base/stored_numbers.hpp"
#include "core/streaming/kernels/kernels.hpp"

namespace attnscope::streaming::ATTNSCOPE_KERNEL {

static void widen_numbers(ElementType type, const uint8_t* bytes, int64_t count, float* to) {
#if defined(__F16C__)
  if (type == ElementType::Float16) {  // the compiler takes them one by one
    for (; count >= 8; count -= 8, bytes += 16, to += 8)
      _mm256_storeu_ps(to, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes))));
  }
#endif
  write_floats(type, bytes, count, to);
}

}  // namespace attnscope::streaming::ATTNSCOPE_KERNEL
