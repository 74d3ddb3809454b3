// tests: the kernels with sixteen lanes, as AVX-512 has them, for machines without AVX-512: the compiler
// makes two shorter instructions of each. The logic is the same, the speed is not.
#if defined(__x86_64__)
#define ATTNSCOPE_KERNEL wide
#define ATTNSCOPE_LANES 16
#include "core/streaming/kernels/kernel_unit.hpp"

namespace attnscope::streaming {
extern const Kernels kernels_wide;
const Kernels kernels_wide = wide::table("sixteen lanes");
}  // namespace attnscope::streaming
#endif
