// gpu: a card as the backend sees it: memory, copies, launches. One is CUDA (cuda_device.cu), another the
// emulator of the tests. C++17, since CUDA sources include it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>

#include "gpu/kernels/kernel_table.hpp"

namespace attnscope::gpu {

struct DeviceFacts {
  std::string name;              // "NVIDIA H200"
  int capability = 0;            // 90 = compute capability 9.0, of the card and of the code it runs
  std::size_t memory = 0;        // bytes
  std::size_t shared_bytes = 0;  // a block may have
  bool groups = false;           // there are kernels of warpgroups for it
};

/// A place in the order of a device's work: after so much of it.
using Mark = std::uint64_t;

/// Memory of the computer that a card writes itself.
using HostBlock = std::shared_ptr<void>;

/// y = x·W of rows: x [rows][d_in] of the same kind of numbers as W, y [rows][d_out] of float32. Strides in
/// numbers.
struct RowProduct {
  NumberKind kind = NumberKind::Float;
  const void *weights = nullptr, *x = nullptr;
  bool out_in = true;  // W is [d_out][d_in], else [d_in][d_out]
  float* y = nullptr;
  std::int64_t rows = 0, d_in = 0, d_out = 0, x_row = 0, y_row = 0;
};

/// Work is done in the order in which it is asked for; uploads and launches may return before they are done.
/// Called from one thread at a time, but for what says otherwise. Throws Error with a sentence that says what
/// the card refused.
class Device {
 public:
  virtual ~Device() = default;
  virtual const DeviceFacts& facts() const = 0;
  /// Whether what is complete in the other one's memory can be read here: it is the same card.
  virtual bool can_read(const Device& other) const { return this == &other; }

  /// Throws Error when there is no room.
  virtual void* allocate(std::size_t bytes) = 0;
  /// From any thread.
  virtual void free(void* memory) noexcept = 0;
  /// `rows` runs of `bytes` that lie `apart` bytes from each other, into one dense block. `from` may change
  /// as soon as it returns.
  virtual void upload(void* to, const void* from, std::size_t bytes, std::size_t apart, std::size_t rows) = 0;
  /// Memory for results; it serves again when the last owner lets go of it. From any thread.
  virtual HostBlock host_block(std::size_t bytes) = 0;
  /// From what was done at the last wait() into a host block. From any thread.
  virtual void fetch(void* to, const void* from, std::size_t bytes) = 0;
  /// Into any memory; waits for what was asked for before.
  void download(void* to, const void* from, std::size_t bytes) {
    wait();
    if (bytes == 0) return;
    const HostBlock block = host_block(bytes);
    fetch(block.get(), from, bytes);
    std::memcpy(to, block.get(), bytes);
  }
  virtual void clear(void* memory, std::size_t bytes) = 0;
  /// What was given back and is kept at hand is given back to the system.
  virtual void trim() = 0;
  /// Bytes that can still be taken, about.
  virtual std::size_t free_memory() = 0;

  /// Whether it has products of matrices of any size; why_not: a sentence where it has not.
  virtual bool can_multiply(std::string& why_not) = 0;
  /// Sums in float32; in an order that depends on the sizes.
  virtual void multiply(const RowProduct&) = 0;

  /// `blocks` blocks. The pass must fit the card: see can_run().
  virtual void launch(const AnyPass& pass, Units units, int blocks) = 0;
  /// Blocks of the pass that the card runs at once.
  virtual int resident_blocks(const AnyPass& pass, Units units) = 0;
  virtual void wait() = 0;
  /// After what was asked for so far. Waiting for the last few marks waits for no more than that; for older
  /// ones, perhaps for what was asked for later.
  virtual Mark mark() = 0;
  virtual void wait_for(Mark mark) = 0;

  /// The card's own clock, for measuring: milliseconds from where start_clock() stands in the order of the
  /// work to what was asked for last, which is waited for; negative where there is no such clock.
  virtual void start_clock() {}
  virtual double clock_milliseconds() { return -1; }

  /// What passes launched from now on compare with.
  virtual StaleWord current() = 0;
  /// Passes launched before leave soon. From any thread.
  virtual void make_stale() noexcept = 0;
};

/// Whether the card has the instructions and the shared memory that the pass's kernel needs.
inline bool can_run(const DeviceFacts& facts, const AnyPass& pass, Units units) {
  bool fits = false;
  with_kernel(pass, units, [&](auto kernel, const auto&) {
    // Signed: nvcc warns of every comparison with an unsigned 0.
    const std::int64_t shared_bytes = kernel.shared_bytes;
    fits = (!kernel.needs_matrix_units || facts.capability >= 80) &&
           (!NeedsGroups<decltype(kernel)>::value || (facts.groups && facts.capability == 90)) &&
           shared_bytes <= static_cast<std::int64_t>(facts.shared_bytes);
  });
  return fits;
}

/// Some numbers on the card, given back with the object.
template <class T>
class DeviceArray {
 public:
  DeviceArray() = default;
  DeviceArray(Device& device, std::size_t count)
      : memory_(static_cast<T*>(device.allocate(count * sizeof(T))), Free{&device}), count_(count) {}
  T* data() const { return memory_.get(); }
  std::size_t size() const { return count_; }

 private:
  struct Free {
    Device* device;
    void operator()(T* memory) const { device->free(memory); }
  };
  std::unique_ptr<T, Free> memory_{nullptr, Free{nullptr}};
  std::size_t count_ = 0;
};

}  // namespace attnscope::gpu
