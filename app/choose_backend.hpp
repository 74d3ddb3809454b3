// app: which machine computes.
#pragma once

#include <memory>
#include <string>

#include "core/backend.hpp"

namespace attnscope {

struct ChosenBackend {
  std::shared_ptr<Backend> backend;
  std::string cpu_reason;  // why it is the CPU, as a sentence; empty when a graphics card computes
};

/// CUDA where it works, else the CPU.
ChosenBackend choose_backend();

}  // namespace attnscope
