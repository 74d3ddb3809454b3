// gpu: the first CUDA card of the machine that can be used. C++17.
#pragma once

#include <memory>
#include <string>

#include "gpu/device.hpp"

namespace attnscope::gpu {

/// Null, and one sentence in `why_not`, where there is no card, its driver is too old for this build, or it
/// is older than compute capability 7.5. A machine without any driver is fine: nothing of it is linked.
std::unique_ptr<Device> open_cuda_device(std::string& why_not);

}  // namespace attnscope::gpu
