// core/engine: a Backend that several threads may share. A Backend may be called from one thread at a time
// only; this serialises the calls of the engine and of the background comparison of backends.
#pragma once

#include <memory>

#include "core/engine/backend.hpp"

namespace attnscope {

/// Wraps a backend so that concurrent calls wait for each other. Throws Cancelled when the caller is stopped
/// while it waits.
std::shared_ptr<Backend> one_at_a_time(std::shared_ptr<Backend> backend);

}  // namespace attnscope
