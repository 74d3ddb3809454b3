#include "gpu/emulated_device.hpp"

#include <cstdlib>
#include <cstring>
#include <new>
#include <stdexcept>
#include <sys/mman.h>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "gpu/emulated_context.hpp"

namespace attnscope::emulator {

namespace {

/// With what lies behind it.
std::size_t whole_of(std::size_t bytes) { return (bytes + 255) / 256 * 256 + 256; }

}  // namespace

EmulatedDevice::EmulatedDevice(Schedule schedule, std::uint64_t seed, int blocks)
    : block_(schedule, seed), blocks_(blocks) {
  facts_ = {"Emulated card", 90, std::size_t{1} << 30, 99 * 1024};
}

EmulatedDevice::~EmulatedDevice() {
  for (const auto& [memory, bytes] : blocks_of_memory_) give_back(memory, bytes);
}

void EmulatedDevice::give_back(void* memory, std::size_t bytes) const {
  if (is_hollow)
    munmap(memory, whole_of(bytes));
  else
    std::free(memory);
}

void* EmulatedDevice::allocate(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  if (allocated_ + bytes > facts_.memory)
    throw Error(fmt::format("The emulated card has no room for {} bytes.", bytes));
  const std::size_t whole = whole_of(bytes);
  void* memory = is_hollow
                     ? mmap(nullptr, whole, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                     : std::aligned_alloc(256, whole);
  if (memory == nullptr || memory == MAP_FAILED) throw std::bad_alloc();
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
  give_back(memory, found->second);
  blocks_of_memory_.erase(found);
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

bool EmulatedDevice::can_multiply(std::string& why_not) {
  if (cannot_multiply) why_not = "The emulated card has no products.";
  return !cannot_multiply;
}

void EmulatedDevice::multiply(const gpu::RowProduct& p) {
  if (is_hollow) return;
  const auto number = [&](const void* from, std::int64_t i) {
    if (p.kind == gpu::NumberKind::Float) return static_cast<const float*>(from)[i];
    const std::uint16_t bits = static_cast<const std::uint16_t*>(from)[i];
    return p.kind == gpu::NumberKind::Bfloat ? from_bfloat(bits) : from_half(bits);
  };
  for (std::int64_t row = 0; row < p.rows; ++row)
    for (std::int64_t out = 0; out < p.d_out; ++out) {
      float sum = 0;
      for (std::int64_t in = 0; in < p.d_in; ++in)
        sum += number(p.x, row * p.x_row + in) *
               number(p.weights, p.out_in ? out * p.d_in + in : in * p.d_out + out);
      p.y[row * p.y_row + out] = sum;
    }
}

void EmulatedDevice::launch(const gpu::AnyPass& pass, gpu::Units units, int blocks) {
  if (!gpu::can_run(facts_, pass, units))
    throw std::logic_error("a pass that the card cannot run was launched");
  if (on_launch) on_launch(pass);
  ++launched_;
  if (is_hollow) return;
  gpu::with_kernel(pass, units, [&](auto kernel, const auto& arguments) {
    group_launches += gpu::NeedsGroups<decltype(kernel)>::value;
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
