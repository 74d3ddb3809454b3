#include "core/base/stored_tensor.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.hpp"

namespace attnscope {
namespace {

class TensorOwner final : public MemoryOwner {
 public:
  explicit TensorOwner(TensorPtr tensor) : tensor_(std::move(tensor)) {}

 private:
  TensorPtr tensor_;
};

}  // namespace

StoredTensor::StoredTensor(ElementType type, Shape shape, std::span<const std::byte> bytes,
                           std::shared_ptr<const MemoryOwner> owner)
    : type_(type), shape_(shape), bytes_(bytes), owner_(std::move(owner)) {
  const BlockSize block = block_of(type);
  const std::int64_t row = shape.rank() == 0 ? 1 : shape[shape.rank() - 1];
  if (row % block.elements != 0)
    throw Error(fmt::format(
        "A stored tensor of type {} cannot have the shape {}: its last dimension must be a multiple of {}.",
        to_string(type), to_string(shape), block.elements));
  const auto needed = static_cast<std::uint64_t>(shape.count() / block.elements);
  const auto size = static_cast<std::uint64_t>(block.bytes);
  if (bytes.size() % size != 0 || bytes.size() / size != needed)
    throw Error(
        fmt::format("A stored tensor of type {} and shape {} needs {} times {} bytes but was given {} bytes.",
                    to_string(type), to_string(shape), needed, size, bytes.size()));
}

StoredTensor::StoredTensor(TensorPtr tensor)
    : shape_(tensor->shape()),
      bytes_(std::as_bytes(tensor->values())),
      owner_(std::make_shared<const TensorOwner>(std::move(tensor))) {}

StoredTensor StoredTensor::rows(std::int64_t first, std::int64_t count) const {
  const std::int64_t all = shape_.rank() == 0 ? 0 : shape_[0];
  if (shape_.rank() < 2 || first < 0 || count < 0 || first > all - count)
    throw Error(fmt::format("A stored tensor of shape {} has no rows {} to {}.", to_string(shape_), first,
                            first + count));
  StoredTensor part = *this;
  std::vector<std::int64_t> sizes;
  for (int axis = 0; axis < shape_.rank(); ++axis) sizes.push_back(axis == 0 ? count : shape_[axis]);
  part.shape_ = Shape(sizes);
  if (coded_) {
    const std::int64_t width = shape_[shape_.rank() - 1];
    part.first_row_ += width == 0 || all == 0 ? 0 : first * (shape_.count() / all / width);
    return part;
  }
  const std::size_t bytes = all == 0 ? 0 : bytes_.size() / static_cast<std::size_t>(all);
  part.bytes_ =
      bytes_.subspan(static_cast<std::size_t>(first) * bytes, static_cast<std::size_t>(count) * bytes);
  return part;
}

StoredTensor StoredTensor::entry(std::int64_t i) const {
  StoredTensor part = rows(i, 1);
  std::vector<std::int64_t> sizes;
  for (int axis = 1; axis < shape_.rank(); ++axis) sizes.push_back(shape_[axis]);
  part.shape_ = Shape(sizes);
  return part;
}

StoredTensor::StoredTensor(std::shared_ptr<const CodedWeights> coded, Shape shape,
                           std::span<const std::byte> bytes, std::shared_ptr<const MemoryOwner> owner)
    : type_(ElementType::Coded),
      shape_(shape),
      bytes_(bytes),
      coded_(std::move(coded)),
      owner_(std::move(owner)) {}

std::span<const float> StoredTensor::floats() const {
  const auto address = reinterpret_cast<std::uintptr_t>(bytes_.data());
  if (type_ != ElementType::Float32 || address % alignof(float) != 0) return {};
  return {reinterpret_cast<const float*>(bytes_.data()), bytes_.size() / sizeof(float)};
}

/// Parts of rows at both ends, whole rows between them.
void StoredTensor::widen_codes(std::int64_t first, std::span<float> to) const {
  const std::int64_t width = shape_[shape_.rank() - 1];
  while (!to.empty()) {
    const auto left = static_cast<std::int64_t>(to.size());
    const std::int64_t column = first % width, rows = column == 0 ? left / width : 0;
    const std::int64_t columns = rows > 0 ? width : std::min(width - column, left);
    const std::int64_t count = std::max<std::int64_t>(rows, 1) * columns;
    coded_->widen(
        {first_row_ + first / width, std::max<std::int64_t>(rows, 1), column, columns, to.data(), columns});
    first += count;
    to = to.subspan(static_cast<std::size_t>(count));
  }
}

void StoredTensor::widen_from(std::int64_t first, std::span<float> to) const {
  if (coded_) return widen_codes(first, to);
  const BlockSize block = block_of(type_);
  const auto elements = static_cast<std::size_t>(block.elements),
             size = static_cast<std::size_t>(block.bytes);
  auto at = static_cast<std::size_t>(first);
  while (!to.empty()) {
    const std::size_t skipped = at % elements, offset = at / elements * size;
    std::size_t count = to.size() / elements * elements;
    if (skipped == 0 && count > 0) {
      widen(type_, bytes_.subspan(offset, count / elements * size), to.first(count));
    } else {  // a part of one block
      std::array<float, max_block_elements> whole;
      widen(type_, bytes_.subspan(offset, size), std::span(whole).first(elements));
      count = std::min(elements - skipped, to.size());
      std::copy_n(whole.data() + skipped, count, to.data());
    }
    at += count;
    to = to.subspan(count);
  }
}

void StoredTensor::read(std::int64_t first, std::span<float> to) const {
  owner_->check();
  widen_from(first, to);
}

void StoredTensor::read_columns(std::int64_t first, MatrixMap<float> to) const {
  owner_->check();
  if (coded_ && to.size() > 0)
    return coded_->widen({first_row_, to.rows(), first, to.cols(), to.data(), to.outerStride()});
  const auto count = static_cast<std::size_t>(to.cols());
  for (Eigen::Index row = 0; row < to.rows(); ++row)
    widen_from(row * shape_[1] + first, {to.row(row).data(), count});
}

Tensor StoredTensor::widened() const {
  Tensor all(shape_);
  read(0, all.values());
  return all;
}

}  // namespace attnscope
