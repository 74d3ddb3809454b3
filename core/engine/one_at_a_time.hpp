// core/engine: a backend that several threads share. A Backend is called from one thread at a time; the
// engine and the comparison of backends behind the window would not wait for each other by themselves.
#pragma once

#include <memory>

#include "core/engine/backend.hpp"

namespace attnscope {

/// The same backend, whose calls wait for each other. Waiting ends with Cancelled when the caller is stopped.
std::shared_ptr<Backend> one_at_a_time(std::shared_ptr<Backend> backend);

}  // namespace attnscope
