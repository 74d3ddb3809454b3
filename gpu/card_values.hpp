// gpu: results as tensors that are copied to the host's memory when they are read.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "core/base/tensor.hpp"
#include "gpu/device.hpp"

namespace attnscope::gpu {

/// Float32 values that were made on a card, complete at its last wait(). They hold the card's memory until
/// they are destroyed or have to make room, and keep the card alive. From any thread.
class CardValues final : public RemoteValues<float> {
 public:
  /// `plane`: the numbers that are copied at once, those of a tensor's last two dimensions.
  CardValues(std::shared_ptr<Device>, DeviceArray<float>, std::int64_t plane);

  const float* bring(std::int64_t begin, std::int64_t count) const override;
  /// The card's memory, kept alive by the pointer; null after make_room().
  std::shared_ptr<const DeviceArray<float>> on_card() const;
  /// Copies all values to the host and frees the card's memory.
  void make_room() const;
  const Device& device() const { return *device_; }

 private:
  void bring_planes(std::size_t first, std::size_t last) const;
  void fetch(std::size_t first, std::size_t last) const;

  std::shared_ptr<Device> device_;
  std::size_t size_, plane_;
  mutable std::shared_ptr<const DeviceArray<float>> numbers_;
  mutable std::mutex mutex_;
  mutable HostBlock host_;
  mutable std::vector<std::uint8_t> here_;          // [planes] 1: is in `host_`
  mutable std::size_t missing_;                     // planes
  mutable std::atomic<const float*> all_{nullptr};  // `host_` when nothing is missing
};

/// Values that are part of a host block.
template <class T>
class BlockValues final : public RemoteValues<T> {
 public:
  BlockValues(HostBlock block, const T* at) : block_(std::move(block)), at_(at) {}
  const T* bring(std::int64_t, std::int64_t) const override { return at_; }

 private:
  HostBlock block_;
  const T* at_;
};

}  // namespace attnscope::gpu
