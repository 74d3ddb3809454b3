// tests: a graphics card on the CPU. What it computes is what a card would, but for the last bits of exp2 and
// of the order of sums inside a matrix instruction.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <vector>

#include "gpu/device.hpp"
#include "gpu/emulated_block.hpp"

namespace attnscope::emulator {

class EmulatedDevice final : public gpu::Device {
 public:
  explicit EmulatedDevice(Schedule schedule, std::uint64_t seed = 1, int blocks = 3);
  ~EmulatedDevice() override;

  const gpu::DeviceFacts& facts() const override { return facts_; }
  /// From now on a card with products of warpgroups, and the shared memory of one.
  void have_groups() {
    facts_.groups = true;
    facts_.shared_bytes = 227 * 1024;
  }
  /// All emulated devices are one card.
  bool can_read(const gpu::Device& other) const override {
    return dynamic_cast<const EmulatedDevice*>(&other) != nullptr;
  }
  /// New memory is poisoned.
  void* allocate(std::size_t bytes) override;
  void free(void* memory) noexcept override;
  void upload(void* to, const void* from, std::size_t bytes, std::size_t apart, std::size_t rows) override;
  gpu::HostBlock host_block(std::size_t bytes) override;
  void fetch(void* to, const void* from, std::size_t bytes) override;
  void clear(void* memory, std::size_t bytes) override;
  void trim() override { ++trims; }
  std::size_t free_memory() override { return facts_.memory - allocated_; }
  bool can_multiply(std::string& why_not) override;
  void multiply(const gpu::RowProduct&) override;
  void launch(const gpu::AnyPass& pass, gpu::Units units, int blocks) override;
  int resident_blocks(const gpu::AnyPass& pass, gpu::Units units) override;
  void wait() override { finished_ = launched_; }
  gpu::Mark mark() override { return launched_; }
  void wait_for(gpu::Mark mark) override { finished_ = std::max(finished_, mark); }
  gpu::StaleWord current() override { return {never_stale ? nullptr : &word_, word_}; }
  void make_stale() noexcept override { ++word_; }

  /// Launches that were not waited for.
  std::uint64_t under_way() const { return launched_ - finished_; }
  std::size_t allocated() const { return allocated_; }
  std::size_t most_allocated() const { return most_allocated_; }
  /// Bytes that crossed, since the start.
  std::size_t uploaded() const { return uploaded_; }
  std::size_t downloaded() const { return downloaded_; }
  /// Launches and copies do nothing, and memory is only promised: for counting bytes of what is too large to
  /// be computed here. Chosen before the first allocation.
  bool is_hollow = false;
  /// Nothing is fetched any more.
  bool fails = false;
  /// How often it was trimmed.
  int trims = 0;
  /// Its library of products is missing.
  bool cannot_multiply = false;
  /// Launches of kernels that consist of products of warpgroups.
  int group_launches = 0;
  /// Called before each launch.
  std::function<void(const gpu::AnyPass&)> on_launch;
  /// Called when a block has looked whether its work is stale.
  std::function<void()>& on_look() { return block_.on_look; }

  /// Launches then do not ask, and do without the barrier that asking is.
  bool never_stale = false;

  gpu::DeviceFacts facts_;

 private:
  void give_back(void* memory, std::size_t bytes) const;

  std::map<void*, std::size_t> blocks_of_memory_;
  std::size_t allocated_ = 0, most_allocated_ = 0, uploaded_ = 0;
  std::atomic<std::size_t> downloaded_{0};
  std::uint64_t launched_ = 0, finished_ = 0;
  std::mutex mutex_;  // of the memory
  Block block_;
  int blocks_;
  unsigned word_ = 7;
};

}  // namespace attnscope::emulator
