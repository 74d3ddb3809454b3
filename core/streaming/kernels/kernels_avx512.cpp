// core/streaming/kernels: the kernels for x86-64-v4: AVX-512.
#if defined(__x86_64__)
#define ATTNSCOPE_KERNEL avx512
#define ATTNSCOPE_LANES 16
#include "core/streaming/kernels/kernel_unit.hpp"

namespace attnscope::streaming {
extern const Kernels kernels_avx512;
const Kernels kernels_avx512 = avx512::table("AVX-512");
}  // namespace attnscope::streaming
#endif
