// gpu: a Backend on any Device.
#pragma once

#include <memory>

#include "core/engine/backend.hpp"
#include "gpu/card_settings.hpp"
#include "gpu/device.hpp"

namespace attnscope::gpu {

/// "CUDA · NVIDIA H200". Products, masks, softmax and sweeps on the card; measures, gradients and what the
/// card has no kernel for on the CPU, with the pool.
std::unique_ptr<Backend> make_card_backend(std::unique_ptr<Device> device, CardSettings settings = {},
                                           SharedPool pool = {});

}  // namespace attnscope::gpu
