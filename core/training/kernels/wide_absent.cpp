#include "core/training/kernels/kernels.hpp"

namespace attnscope::training {
extern const Kernels<float>* const wide_kernels;
const Kernels<float>* const wide_kernels = nullptr;
}  // namespace attnscope::training
