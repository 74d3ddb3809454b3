#include "core/training/kernels/kernels.hpp"

namespace attnscope::training {
extern const Kernels<float> kernels_avx512;
extern const Kernels<float>* const wide_kernels;
const Kernels<float>* const wide_kernels = &kernels_avx512;
}  // namespace attnscope::training
