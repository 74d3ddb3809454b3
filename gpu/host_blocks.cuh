// gpu: memory of the computer that a CUDA card writes itself.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cuda_runtime.h>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

#include "gpu/device.hpp"

namespace attnscope::gpu {

/// Page-locked memory that is kept for the next result: taking it from the system costs a third of a
/// millisecond for each megabyte. From any thread.
class HostBlocks : public std::enable_shared_from_this<HostBlocks> {
 public:
  ~HostBlocks() { trim(); }

  HostBlock take(std::size_t bytes) {
    const Block block = find(std::max<std::size_t>(bytes, 1));
    return HostBlock(block.memory, [block, owner = shared_from_this()](void*) { owner->keep(block); });
  }
  /// What nobody has is given back to the system.
  void trim() {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const Block& block : free_) give_back(block);
    free_.clear();
    kept_ = 0;
  }

 private:
  struct Block {
    void* memory;
    std::size_t bytes;
    bool locked;
  };
  /// More than so much is given back to the system.
  static constexpr std::size_t most_kept = std::size_t{512} << 20;

  Block find(std::size_t bytes) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      auto best = free_.end();
      for (auto at = free_.begin(); at != free_.end(); ++at)
        if (at->bytes >= bytes && at->bytes <= 2 * bytes && (best == free_.end() || at->bytes < best->bytes))
          best = at;
      if (best != free_.end()) {
        const Block block = *best;
        kept_ -= block.bytes;
        free_.erase(best);
        return block;
      }
    }
    void* memory = nullptr;
    if (cudaHostAlloc(&memory, bytes, cudaHostAllocPortable) == cudaSuccess) return {memory, bytes, true};
    cudaGetLastError();  // there is a limit to it: ordinary memory is slower and right
    return {::operator new(bytes), bytes, false};
  }
  void keep(const Block& block) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (kept_ + block.bytes <= most_kept) {
        kept_ += block.bytes;
        free_.push_back(block);
        return;
      }
    }
    give_back(block);
  }
  static void give_back(const Block& block) {
    if (block.locked)
      cudaFreeHost(block.memory);
    else
      ::operator delete(block.memory);
  }

  std::mutex mutex_;
  std::vector<Block> free_;
  std::size_t kept_ = 0;
};

}  // namespace attnscope::gpu
