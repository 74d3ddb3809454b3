#include "core/streaming/kernels/wide_kernels.hpp"

namespace attnscope::streaming {
const WideKernels wide_kernels{};
}  // namespace attnscope::streaming
