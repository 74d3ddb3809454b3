// gpu: launching kernels of one number for each thread, and asking whether the work is still wanted.
#pragma once

#include <algorithm>
#include <optional>
#include <stop_token>

#include "core/base/error.hpp"
#include "gpu/device.hpp"

namespace attnscope::gpu {

/// Launches a pass of EachKernel with a thread for each number, up to a sensible number of threads.
template <class Pass>
void launch_each(Device& device, const Pass& pass) {
  std::int64_t count = 0;
  int threads = 1;
  table::with_kernel(pass, Units{}, [&](auto kernel) {
    count = kernel.count(pass);
    threads = kernel.threads;
  });
  if (count == 0) return;
  constexpr std::int64_t most_blocks = 1 << 14;
  device.launch(pass, Units{}, static_cast<int>(std::min(most_blocks, (count + threads - 1) / threads)));
}

/// Launches a pass with a thread block for each of its blocks().
template <class Pass>
void launch_blocks(Device& device, const Pass& pass) {
  std::int64_t blocks = 0;
  table::with_kernel(pass, Units{}, [&](auto kernel) { blocks = kernel.blocks(pass); });
  if (blocks > 0x7fffffff) throw Error("The tensor has more tiles than a graphics card counts.");
  if (blocks > 0) device.launch(pass, Units{}, static_cast<int>(blocks));
}

/// While it lives, a stop marks what was launched with word() as stale.
class Interest {
 public:
  Interest(Device& device, const std::stop_token& stop)
      : device_(device), stop_(stop), word_(device.current()), callback_(stop, MakeStale{&device}) {}
  StaleWord word() const { return word_; }
  /// Throws Cancelled after a stop, once nothing runs any more.
  void check() const {
    if (!stop_.stop_requested()) return;
    device_.wait();
    throw Cancelled();
  }

 private:
  struct MakeStale {
    Device* device;
    void operator()() const noexcept { device->make_stale(); }
  };
  Device& device_;
  const std::stop_token& stop_;
  StaleWord word_;
  std::stop_callback<MakeStale> callback_;
};

}  // namespace attnscope::gpu
