#include "gpu/card_values.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/base/error.hpp"

namespace attnscope::gpu {

CardValues::CardValues(std::shared_ptr<Device> device, DeviceArray<float> numbers, std::int64_t plane)
    : device_(std::move(device)),
      size_(numbers.size()),
      plane_(static_cast<std::size_t>(std::max<std::int64_t>(1, plane))),
      numbers_(std::make_shared<const DeviceArray<float>>(std::move(numbers))),
      here_((size_ + plane_ - 1) / plane_),
      missing_(here_.size()) {}

const float* CardValues::bring(std::int64_t begin, std::int64_t count) const {
  if (const float* const all = all_.load(std::memory_order_acquire)) return all;
  const std::lock_guard lock(mutex_);
  const auto first = static_cast<std::size_t>(begin) / plane_,
             last = (static_cast<std::size_t>(begin + count) + plane_ - 1) / plane_;
  bring_planes(first, std::min(last, here_.size()));
  return static_cast<const float*>(host_.get());
}

void CardValues::make_room() const {
  const std::lock_guard lock(mutex_);
  bring_planes(0, here_.size());
  numbers_ = nullptr;
}

std::shared_ptr<const DeviceArray<float>> CardValues::on_card() const {
  const std::lock_guard lock(mutex_);
  return numbers_;
}

/// Copies planes [first, last) to the host, one transfer for each run of missing ones.
void CardValues::bring_planes(std::size_t first, std::size_t last) const {
  if (!host_) host_ = device_->host_block(size_ * sizeof(float));
  for (std::size_t from = first; from < last;) {
    if (here_[from] != 0) {
      ++from;
      continue;
    }
    const auto end = std::find(here_.begin() + static_cast<std::ptrdiff_t>(from),
                               here_.begin() + static_cast<std::ptrdiff_t>(last), std::uint8_t{1});
    const auto to = static_cast<std::size_t>(end - here_.begin());
    fetch(from, to);
    from = to;
  }
  if (missing_ == 0) all_.store(static_cast<const float*>(host_.get()), std::memory_order_release);
}

void CardValues::fetch(std::size_t first, std::size_t last) const {
  const std::size_t from = first * plane_, to = std::min(size_, last * plane_);
  auto* const host = static_cast<float*>(host_.get());
  try {
    device_->fetch(host + from, numbers_->data() + from, (to - from) * sizeof(float));
  } catch (const Error&) {
    // The card has failed: drawing must not stop because of it, and the next run reports the failure.
    std::fill(host + from, host + to, std::numeric_limits<float>::quiet_NaN());
  }
  std::fill(here_.begin() + static_cast<std::ptrdiff_t>(first),
            here_.begin() + static_cast<std::ptrdiff_t>(last), std::uint8_t{1});
  missing_ -= last - first;
}

}  // namespace attnscope::gpu
