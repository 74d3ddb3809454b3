// tests: waiting for conditions, and processor time that does not depend on other programs.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <thread>
#include <time.h>

namespace attnscope::test {

/// Only a failing test waits this long: a sanitized program is slow beside others on one processor.
inline constexpr std::chrono::seconds patience{120};

/// Asks again and again until it is true. False when it is not after `patience`.
inline bool wait_until(const std::function<bool()>& condition,
                       std::chrono::milliseconds pause = std::chrono::milliseconds(5)) {
  const auto end = std::chrono::steady_clock::now() + patience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(pause);
  }
  return true;
}

/// Processor time that the calling thread has used. Other programs do not add to it.
inline double own_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// The least own_seconds() of `attempts` calls: the one least disturbed in the caches.
inline double least_seconds(int attempts, const std::function<void()>& work) {
  double least = 1e9;
  for (int i = 0; i < attempts; ++i) {
    const double begin = own_seconds();
    work();
    least = std::min(least, own_seconds() - begin);
  }
  return least;
}

}  // namespace attnscope::test
