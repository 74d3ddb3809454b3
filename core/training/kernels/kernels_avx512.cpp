// core/training/kernels: the kernels for x86-64-v4: AVX-512.
#if defined(__x86_64__)
#define ATTNSCOPE_KERNEL avx512
#define ATTNSCOPE_LANES 16
#include "core/training/kernels/kernel_unit.hpp"

namespace attnscope::training {
extern const Kernels<float> kernels_avx512;
const Kernels<float> kernels_avx512 = avx512::table<float>("AVX-512");
}  // namespace attnscope::training
#endif
