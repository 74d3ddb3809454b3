// core/training/kernels: the kernels for any machine: 128-bit vectors (SSE2 on x86-64, Advanced SIMD on
// AArch64).
#define ATTNSCOPE_KERNEL baseline
#define ATTNSCOPE_LANES 4
#include "core/training/kernels/kernel_unit.hpp"

namespace attnscope::training {
extern const Kernels<float> kernels_baseline;
extern const Kernels<double> kernels_baseline_double;
const Kernels<float> kernels_baseline = baseline::table<float>("baseline");
const Kernels<double> kernels_baseline_double = baseline::table<double>("baseline");
}  // namespace attnscope::training
