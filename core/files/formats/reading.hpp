// core/files/formats: progress and cancellation of a file that another thread reads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <stop_token>

#include "core/base/error.hpp"

namespace attnscope {

/// Written by the reading thread, read by any thread.
struct Reading {
  std::stop_token stop;
  std::atomic<std::uint64_t> done{0}, total{0};  // numbers; total is 0 until it is known
  /// Called by the reading thread before it opens a model that the file names, which takes long. May be
  /// empty.
  std::function<void()> opens_model{};

  double share() const {
    const auto all = static_cast<double>(total.load());
    return all == 0 ? 0 : std::min(1.0, static_cast<double>(done.load()) / all);
  }
};

/// Counts `numbers` more numbers as read; null: does nothing. Throws Cancelled after a stop.
inline void advance(Reading* reading, std::uint64_t numbers) {
  if (reading == nullptr) return;
  reading->done += numbers;
  if (reading->stop.stop_requested()) throw Cancelled();
}
inline void tell_of_model(Reading* reading) {
  if (reading != nullptr && reading->opens_model) reading->opens_model();
}
inline void expect(Reading* reading, std::uint64_t numbers) {
  if (reading != nullptr) reading->total += numbers;
}

}  // namespace attnscope
