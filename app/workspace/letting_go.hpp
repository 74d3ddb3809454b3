// app/workspace: destroys what the window no longer shows on a thread of its own.
#pragma once

#include <memory>
#include <utility>

#include "core/base/worker.hpp"

namespace attnscope {

/// The lens of a long text is a million small vectors: to free them takes longer than a frame. Whether the
/// reference that is let go of is the last one does not matter.
class LettingGo {
 public:
  void operator()(std::shared_ptr<const void> owned) {
    if (owned) worker_.add(make_errand([owned = std::move(owned)] {}));
  }
  /// Blocks until all of it is destroyed. For tests.
  void wait() const { worker_.wait(); }

 private:
  Worker worker_;
};

}  // namespace attnscope
