// core/training/lab: a function as a Job of the lab's thread.
#pragma once

#include <functional>
#include <stop_token>
#include <utility>

#include "core/base/worker.hpp"

namespace attnscope::training {

/// Called again as long as it returns true and nobody asked it to stop. `wake`: when there is news; may be
/// empty.
class LabJob final : public Job {
 public:
  LabJob(std::function<bool(const std::stop_token&)> next, std::function<void()> wake)
      : next_(std::move(next)), wake_(std::move(wake)) {}
  bool step() override { return !stop_token().stop_requested() && next_(stop_token()); }
  void finished() override {
    if (wake_) wake_();
  }

 private:
  std::function<bool(const std::stop_token&)> next_;
  std::function<void()> wake_;
};

}  // namespace attnscope::training
