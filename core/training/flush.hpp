// core/training: numbers too small for a float's exponent count as 0 on this thread, as long as this lives.
// Gradients of a softmax that is all but one-hot are full of them, and arithmetic with them is many times
// slower.
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace attnscope::training {

class FlushDenormals {
 public:
#if defined(__x86_64__)
  FlushDenormals() : before_(_mm_getcsr()) { _mm_setcsr(before_ | flush_to_zero | denormals_are_zero); }
  ~FlushDenormals() { _mm_setcsr(before_); }
#elif defined(__aarch64__)
  FlushDenormals() {
    asm volatile("mrs %0, fpcr" : "=r"(before_));
    asm volatile("msr fpcr, %0" : : "r"(before_ | flush_inputs_and_results));
  }
  ~FlushDenormals() { asm volatile("msr fpcr, %0" : : "r"(before_)); }
#else
  FlushDenormals() = default;
#endif
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;

 private:
#if defined(__x86_64__)
  static constexpr unsigned flush_to_zero = 0x8000, denormals_are_zero = 0x0040;
  unsigned before_;
#elif defined(__aarch64__)
  static constexpr std::uint64_t flush_inputs_and_results = 1u << 24;
  std::uint64_t before_;
#endif
};

}  // namespace attnscope::training
