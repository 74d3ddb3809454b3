// core/streaming/kernels: the vectors of core/base/vectors.hpp without their namespace. Included by the
// kernels only.
#pragma once

#include "core/base/vectors.hpp"

namespace attnscope::streaming::ATTNSCOPE_KERNEL {
using namespace vectors::ATTNSCOPE_KERNEL;
}  // namespace attnscope::streaming::ATTNSCOPE_KERNEL
