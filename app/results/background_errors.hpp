// app/results: the float64 errors of whole Results, computed in the background by one thread, so that neither
// the window nor the engine waits. Jobs are done in order of arrival; cancelled ones are skipped.
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
  /// The most memory; a task that needs more is refused.
  static constexpr std::int64_t most_bytes = std::int64_t{512} << 20;

  /// Does not use the pool's threads for errors: they belong to the engine.
  explicit BackgroundErrors(SharedPool pool) : pool_(std::move(pool)) {}

  /// Starts a task; one of a few milliseconds is done before this returns.
  std::shared_ptr<ErrorTask> start(const ResultPtr&);

 private:
  SharedPool pool_;
  Worker worker_;  // last: it is joined before the other members are destroyed
};

}  // namespace attnscope
