// core/base: scratch memory for the threads of one computation.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace attnscope {

/// Blocks of scratch floats for the threads of one computation: at most one for each thread, allocated on
/// first use.
class ScratchPool {
 public:
  explicit ScratchPool(std::int64_t floats) : floats_(floats) {}

  struct Free {
    void operator()(float* block) const { std::free(block); }
  };
  using Memory = std::unique_ptr<float, Free>;

  /// Aligned to 64 bytes, not initialised. Throws std::bad_alloc.
  Memory take();
  void give_back(Memory memory);

 private:
  std::int64_t floats_;
  std::mutex mutex_;
  std::vector<Memory> free_;
};

/// Borrows a block for one piece of work.
class ScratchLease {
 public:
  explicit ScratchLease(ScratchPool& pool) : pool_(pool), memory_(pool.take()) {}
  ~ScratchLease() { pool_.give_back(std::move(memory_)); }
  ScratchLease(const ScratchLease&) = delete;
  ScratchLease& operator=(const ScratchLease&) = delete;
  float* data() const { return memory_.get(); }

 private:
  ScratchPool& pool_;
  ScratchPool::Memory memory_;
};

}  // namespace attnscope
