// core/streaming/kernels: the kernels for x86-64-v3: AVX2 and FMA.
#if defined(__x86_64__)
#define ATTNSCOPE_KERNEL avx2
#define ATTNSCOPE_LANES 8
#include "core/streaming/kernels/kernel_unit.hpp"

namespace attnscope::streaming {
extern const Kernels kernels_avx2;
const Kernels kernels_avx2 = avx2::table("AVX2");
}  // namespace attnscope::streaming
#endif
