#include "core/watch/watched_layer.hpp"

#include <algorithm>
#include <iterator>

namespace attnscope {

HeadRows GrowingRows::from_head(std::int64_t first) const {
  HeadRows rows;  // no owner: rows may be added while the view lives
  rows.data = row(first, 0);
  rows.head_stride = room_ * width_;
  rows.row_stride = width_;
  return rows;
}

std::int64_t GrowingRows::room_with(std::int64_t rows) const {
  if (rows <= room_) return room_;
  return room_ == 0 ? rows : std::max(rows, room_ + room_ / 2);
}

std::uint64_t GrowingRows::bytes() const { return bytes_with(rows_); }

std::uint64_t GrowingRows::bytes_with(std::int64_t rows) const {
  return static_cast<std::uint64_t>(heads_ * room_with(rows) * width_) * sizeof(float);
}

void GrowingRows::append(const Tensor& added) {
  const std::int64_t count = added.shape()[2], room = room_with(rows_ + count);
  if (room != room_) {
    const std::shared_ptr<float[]> larger(new float[static_cast<std::size_t>(heads_ * room * width_)]);
    for (std::int64_t h = 0; h < heads_ && rows_ > 0; ++h)
      std::copy_n(row(h, 0), rows_ * width_, larger.get() + h * room * width_);
    numbers_ = larger;
    room_ = room;
  }
  for (std::int64_t h = 0; h < heads_ && count > 0; ++h)
    std::copy_n(added.data() + h * count * width_, count * width_,
                numbers_.get() + (h * room_ + rows_) * width_);
  rows_ += count;
}

const WatchedRows& WatchedLayer::call_of(std::int64_t row) const {
  const auto behind = std::ranges::upper_bound(calls, row, {}, &WatchedRows::row);
  return *std::prev(behind);
}

std::int64_t WatchedLayer::position(std::int64_t row) const {
  const WatchedRows& call = call_of(row);
  return call.first + row - call.row;
}

std::int64_t WatchedLayer::row_at(std::int64_t position) const {
  const auto behind = std::ranges::upper_bound(calls, position, {}, &WatchedRows::first);
  if (behind == calls.begin()) return -1;
  const WatchedRows& call = *std::prev(behind);
  const std::int64_t within = position - call.first;
  return within < call.count ? call.row + within : -1;
}

std::int64_t WatchedLayer::end_of(std::int64_t row) const {
  const WatchedRows& call = call_of(row);
  return call.causal ? std::min(call.keys, call.first + row - call.row + 1) : call.keys;
}

}  // namespace attnscope
