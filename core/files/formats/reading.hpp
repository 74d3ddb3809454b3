// core/files/formats: a file that another thread reads: how far it is, and whether it is still wanted.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <stop_token>

#include "core/base/error.hpp"

namespace attnscope {

/// Written by the thread that reads, read by any.
struct Reading {
  std::stop_token stop;
  std::atomic<std::uint64_t> done{0}, total{0};  // numbers; total is 0 until the file has told how many
  /// Called by the thread that reads, before it opens a model that the file names: that takes long. May be
  /// empty.
  std::function<void()> opens_model{};

  double share() const {
    const auto all = static_cast<double>(total.load());
    return all == 0 ? 0 : std::min(1.0, static_cast<double>(done.load()) / all);
  }
};

/// So many numbers more were read; null: not counted. Throws Cancelled after a stop.
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
