// core/streaming/kernels: the kernels for any machine: 128-bit vectors (SSE2 on x86-64, Advanced SIMD on
// AArch64).
#define ATTNSCOPE_KERNEL baseline
#define ATTNSCOPE_LANES 4
#include "core/streaming/kernels/kernel_unit.hpp"

namespace attnscope::streaming {
extern const Kernels kernels_baseline;
const Kernels kernels_baseline = baseline::table("baseline");
}  // namespace attnscope::streaming
