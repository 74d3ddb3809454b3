#include "core/base/stored_tensor.hpp"

#include <bit>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.hpp"

namespace attnscope {
namespace {

static_assert(std::endian::native == std::endian::little);

template <class Stored>
void widen_all(std::span<const std::byte> bytes, std::span<float> to) {
  const std::byte* from = bytes.data();
  for (std::size_t i = 0; i < to.size(); ++i) {
    Stored stored;
    std::memcpy(&stored, from + i * sizeof(Stored), sizeof(Stored));
    to[i] = static_cast<float>(stored);
  }
}

class TensorOwner final : public MemoryOwner {
 public:
  explicit TensorOwner(TensorPtr tensor) : tensor_(std::move(tensor)) {}

 private:
  TensorPtr tensor_;
};

}  // namespace

std::int64_t bytes_of(ElementType type) { return type == ElementType::Float32 ? 4 : 2; }

void widen(ElementType type, std::span<const std::byte> bytes, std::span<float> to) {
  switch (type) {
    case ElementType::Float32:
      if (!to.empty()) std::memcpy(to.data(), bytes.data(), to.size_bytes());
      return;
    case ElementType::BFloat16: return widen_all<Eigen::bfloat16>(bytes, to);
    case ElementType::Float16: return widen_all<Eigen::half>(bytes, to);
  }
}

StoredTensor::StoredTensor(ElementType type, Shape shape, std::span<const std::byte> bytes,
                           std::shared_ptr<const MemoryOwner> owner)
    : type_(type), shape_(shape), bytes_(bytes), owner_(std::move(owner)) {
  const auto needed = static_cast<std::uint64_t>(shape.count());
  const auto size = static_cast<std::uint64_t>(bytes_of(type));
  if (bytes.size() % size != 0 || bytes.size() / size != needed)
    throw Error(fmt::format("A stored tensor of shape {} needs {} values of {} bytes but was given {} bytes.",
                            to_string(shape), needed, size, bytes.size()));
}

StoredTensor::StoredTensor(TensorPtr tensor)
    : shape_(tensor->shape()),
      bytes_(std::as_bytes(tensor->values())),
      owner_(std::make_shared<const TensorOwner>(std::move(tensor))) {}

std::span<const float> StoredTensor::floats() const {
  const auto address = reinterpret_cast<std::uintptr_t>(bytes_.data());
  if (type_ != ElementType::Float32 || address % alignof(float) != 0) return {};
  return {reinterpret_cast<const float*>(bytes_.data()), bytes_.size() / sizeof(float)};
}

std::span<const std::byte> StoredTensor::piece(std::int64_t first, std::size_t count) const {
  const auto size = static_cast<std::size_t>(bytes_of(type_));
  return bytes_.subspan(static_cast<std::size_t>(first) * size, count * size);
}

void StoredTensor::read(std::int64_t first, std::span<float> to) const {
  owner_->check();
  widen(type_, piece(first, to.size()), to);
}

void StoredTensor::read_columns(std::int64_t first, MatrixMap<float> to) const {
  owner_->check();
  const auto count = static_cast<std::size_t>(to.cols());
  for (Eigen::Index row = 0; row < to.rows(); ++row)
    widen(type_, piece(row * shape_[1] + first, count), {to.row(row).data(), count});
}

Tensor StoredTensor::widened() const {
  Tensor all(shape_);
  read(0, all.values());
  return all;
}

}  // namespace attnscope
