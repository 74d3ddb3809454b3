#include "core/streaming/kernels/kernels.hpp"

namespace attnscope::streaming {
extern const Kernels* const wide_kernels;
const Kernels* const wide_kernels = nullptr;
}  // namespace attnscope::streaming
