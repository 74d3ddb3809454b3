// core/training/kernels: the kernels for x86-64-v3: AVX2 and FMA.
#if defined(__x86_64__)
#define ATTNSCOPE_KERNEL avx2
#define ATTNSCOPE_LANES 8
#include "core/training/kernels/kernel_unit.hpp"

namespace attnscope::training {
extern const Kernels<float> kernels_avx2;
const Kernels<float> kernels_avx2 = avx2::table<float>("AVX2");
}  // namespace attnscope::training
#endif
