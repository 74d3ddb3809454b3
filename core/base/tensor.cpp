#include "core/base/tensor.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/error.hpp"

namespace attnscope {

Shape::Shape(std::initializer_list<std::int64_t> sizes)
    : Shape(std::span<const std::int64_t>(sizes.begin(), sizes.size())) {}

Shape::Shape(std::span<const std::int64_t> sizes) {
  if (sizes.size() > static_cast<std::size_t>(max_rank))
    throw Error(fmt::format("A tensor has {} dimensions; at most {} are possible.", sizes.size(), max_rank));
  for (const std::int64_t size : sizes) {
    if (size < 0) throw Error(fmt::format("A tensor has a dimension of {}; sizes cannot be negative.", size));
    sizes_[static_cast<std::size_t>(rank_++)] = size;
  }
  // The product is used everywhere, so its overflow is checked once, here.
  const bool empty = std::find(sizes.begin(), sizes.end(), 0) != sizes.end();
  std::int64_t product = 1;
  for (const std::int64_t size : sizes) {
    if (!empty && __builtin_mul_overflow(product, size, &product))
      throw Error(fmt::format("A tensor of shape {} has more values than can be counted.", to_string(*this)));
  }
}

std::int64_t Shape::count() const {
  if (std::find(sizes_.begin(), sizes_.begin() + rank_, 0) != sizes_.begin() + rank_) return 0;
  std::int64_t product = 1;
  for (int axis = 0; axis < rank_; ++axis) product *= (*this)[axis];
  return product;
}

std::string to_string(const Shape& shape) {
  std::string text = "[";
  for (int axis = 0; axis < shape.rank(); ++axis)
    text += (axis == 0 ? "" : ", ") + std::to_string(shape[axis]);
  return text + "]";
}

template <class T>
TensorOf<T>::TensorOf(Shape shape, std::vector<T> values) : shape_(shape), values_(std::move(values)) {
  if (size() != shape_.count()) {
    throw Error(fmt::format("A tensor of shape {} needs {} values but was given {}.", to_string(shape_),
                            shape_.count(), size()));
  }
}

template <class T>
TensorOf<T>::TensorOf(const TensorOf& other)
    : shape_(other.shape_), values_(other.values().begin(), other.values().end()) {}

template <class T>
TensorOf<T> TensorOf<T>::reshaped(Shape shape) && {
  if (!remote_) return {shape, std::move(values_)};
  if (shape.count() != size())
    throw Error(fmt::format("A tensor of shape {} needs {} values but was given {}.", to_string(shape),
                            shape.count(), size()));
  return of(shape, std::move(remote_));
}

template <class T>
bool TensorOf<T>::operator==(const TensorOf& other) const {
  return shape_ == other.shape_ && std::ranges::equal(values(), other.values());
}

template <class T>
void TensorOf<T>::bring_all() {
  if (!remote_) return;
  const std::span<const T> all = std::as_const(*this).values();
  values_.assign(all.begin(), all.end());
  remote_.reset();
}

template class TensorOf<float>;
template class TensorOf<double>;
template class TensorOf<std::int64_t>;

TensorPtr row_tensor(const std::vector<float>& numbers) {
  if (numbers.empty()) return nullptr;
  return std::make_shared<const Tensor>(Shape{std::ssize(numbers)}, numbers);
}

TensorPtrOf<double> widened(const TensorPtr& tensor) {
  if (!tensor) return nullptr;
  const std::span<const float> values = tensor->values();
  return std::make_shared<const TensorOf<double>>(tensor->shape(),
                                                  std::vector<double>(values.begin(), values.end()));
}

}  // namespace attnscope
