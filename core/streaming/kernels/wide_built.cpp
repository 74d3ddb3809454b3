#include "core/streaming/kernels/kernels.hpp"

namespace attnscope::streaming {
extern const Kernels kernels_avx512;
extern const Kernels* const wide_kernels;
const Kernels* const wide_kernels = &kernels_avx512;
}  // namespace attnscope::streaming
