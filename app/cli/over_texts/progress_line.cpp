#include "app/cli/over_texts/progress_line.hpp"

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <memory>
#include <mutex>
#include <stop_token>
#include <utility>
#include <variant>

#include <fmt/format.h>

namespace attnscope {
namespace {

void tell_progress(const std::string& name, const std::function<std::optional<int>()>& percent,
                   const std::stop_token& stop) {
  bool told = false;
  std::mutex mutex;  // for this wait only, which ends early on a stop
  std::condition_variable_any stopped;
  std::unique_lock lock(mutex);
  while (!stopped.wait_for(lock, stop, std::chrono::seconds(1), [] { return false; }) &&
         !stop.stop_requested()) {
    const std::optional<int> now = percent();
    if (!now) continue;
    fmt::print(stderr, "\r{}: {} %", name, *now);
    std::fflush(stderr);
    told = true;
  }
  if (told) fmt::print(stderr, "\n");
}

}  // namespace

ProgressLine::ProgressLine(Percent percent, std::string name) {
  worker_.add(std::make_shared<Errand>(
      [name = std::move(name), percent = std::move(percent)](const std::stop_token& stop, NoProgress&) {
        tell_progress(name, percent, stop);
        return std::monostate();
      }));
}

}  // namespace attnscope
