// app/results: the float64 errors of whole Results, computed behind the scenes: one thread, so that neither
// the window nor the engine waits for it. Jobs are done in the order they came; those that were cancelled are
// not done.
#pragma once

#include <atomic>
#include <memory>
#include <utility>

#include "core/analysis/float64_error.hpp"
#include "core/base/parallel.hpp"
#include "core/base/worker.hpp"
#include "core/engine/result.hpp"

namespace attnscope {

/// One Result's errors; its progress counts up to float64_error_steps.
using ErrorTask = Task<Trace, std::atomic<int>>;

class BackgroundErrors {
 public:
  /// At most so much memory; more is refused.
  static constexpr std::int64_t most_bytes = std::int64_t{512} << 20;

  /// Of the pool no thread helps: they are the engine's.
  explicit BackgroundErrors(SharedPool pool) : pool_(std::move(pool)) {}

  /// A new task; what takes a few milliseconds at most is done before this returns.
  std::shared_ptr<ErrorTask> start(const ResultPtr&);

 private:
  SharedPool pool_;
  Worker worker_;  // last: joined before the rest goes
};

}  // namespace attnscope
