#include "gpu/emulated_device.hpp"

#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "gpu/emulated_context.hpp"

namespace attnscope::emulator {

EmulatedDevice::EmulatedDevice(Schedule schedule, std::uint64_t seed, int blocks)
    : block_(schedule, seed), blocks_(blocks) {
  facts_ = {"Emulated card", 90, std::size_t{1} << 30, 99 * 1024};
}

EmulatedDevice::~EmulatedDevice() {
  for (const auto& [memory, bytes] : blocks_of_memory_) std::free(memory);
}

void* EmulatedDevice::allocate(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  if (allocated_ + bytes > facts_.memory)
    throw Error(fmt::format("The emulated card has no room for {} bytes.", bytes));
  const std::size_t whole = (bytes + 255) / 256 * 256 + 256;
  void* memory = std::aligned_alloc(256, whole);
  if (!is_hollow) std::memset(memory, 0xff, whole);
  blocks_of_memory_[memory] = bytes;
  allocated_ += bytes;
  most_allocated_ = std::max(most_allocated_, allocated_);
  return memory;
}

void EmulatedDevice::free(void* memory) noexcept {
  const std::lock_guard lock(mutex_);
  const auto found = blocks_of_memory_.find(memory);
  if (found == blocks_of_memory_.end()) std::abort();
  // What lies behind a block must be as it was.
  const auto* bytes = static_cast<const unsigned char*>(memory);
  for (std::size_t i = found->second; !is_hollow && i < found->second + 256; ++i)
    if (bytes[i] != 0xff) std::abort();
  allocated_ -= found->second;
  blocks_of_memory_.erase(found);
  std::free(memory);
}

void EmulatedDevice::upload(void* to, const void* from, std::size_t bytes, std::size_t apart,
                            std::size_t rows) {
  for (std::size_t i = 0; i < rows && bytes > 0 && !is_hollow; ++i)
    std::memcpy(static_cast<char*>(to) + i * bytes, static_cast<const char*>(from) + i * apart, bytes);
  uploaded_ += bytes * rows;
}

gpu::HostBlock EmulatedDevice::host_block(std::size_t bytes) {
  // What is not fetched is no number.
  auto block = std::shared_ptr<unsigned char[]>(new unsigned char[bytes]);
  if (!is_hollow) std::memset(block.get(), 0xff, bytes);
  return block;
}

void EmulatedDevice::fetch(void* to, const void* from, std::size_t bytes) {
  downloaded_ += bytes;
  if (fails) throw Error("The emulated card is gone.");
  if (!is_hollow) std::memcpy(to, from, bytes);
}

void EmulatedDevice::clear(void* memory, std::size_t bytes) {
  if (!is_hollow) std::memset(memory, 0, bytes);
}

void EmulatedDevice::launch(const gpu::AnyPass& pass, gpu::Units units, int blocks) {
  if (!gpu::can_run(facts_, pass, units))
    throw std::logic_error("a pass that the card cannot run was launched");
  if (on_launch) on_launch(pass);
  if (is_hollow) return;
  gpu::with_kernel(pass, units, [&](auto kernel, const auto& arguments) {
    for (int b = 0; b < blocks; ++b) {
      block_.run(kernel.threads, kernel.shared_bytes, [&](int thread) {
        Context context(block_, thread, b, blocks);
        kernel.run(context, arguments);
      });
    }
  });
}

int EmulatedDevice::resident_blocks(const gpu::AnyPass&, gpu::Units) { return blocks_; }

}  // namespace attnscope::emulator
