// core/base: the one container of numbers. A dense, row-major array of up to five dimensions that owns its
// values, and read-only matrix views of its last two dimensions for the stages and the pictures.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/Core>

namespace attnscope {

/// Sizes of the dimensions, outermost first. Every size is >= 0; rank 0 is a scalar with one value.
class Shape {
 public:
  static constexpr int max_rank = 5;

  Shape() = default;
  /// Throws Error when there are more than max_rank sizes or one is negative.
  Shape(std::initializer_list<std::int64_t> sizes);
  explicit Shape(std::span<const std::int64_t> sizes);

  int rank() const { return rank_; }
  std::int64_t operator[](int axis) const { return sizes_[static_cast<std::size_t>(axis)]; }
  /// Product of all sizes.
  std::int64_t count() const;
  bool operator==(const Shape&) const = default;

 private:
  std::array<std::int64_t, max_rank> sizes_{};
  int rank_ = 0;
};

/// "[2, 8, 6, 6]", as messages print it.
std::string to_string(const Shape&);

template <class T>
using MatrixMap = Eigen::Map<Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;
template <class T>
using ConstMatrixMap = Eigen::Map<const Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

/// Values in other memory, such as a GPU's, that are copied to main memory when they are read.
template <class T>
class RemoteValues {
 public:
  virtual ~RemoteValues() = default;
  /// The address of the values in main memory, with [begin, begin + count) copied. May be called from any
  /// thread. Values that can no longer be copied are NaN.
  virtual const T* bring(std::int64_t begin, std::int64_t count) const = 0;
};

/// T is float for everything on screen; double for the inspector's reference value and for float64 files.
template <class T>
class TensorOf {
 public:
  TensorOf() = default;
  explicit TensorOf(Shape shape) : shape_(shape), values_(static_cast<std::size_t>(shape.count())) {}
  /// Throws Error when the number of values is not shape.count().
  TensorOf(Shape shape, std::vector<T> values);
  /// shape.count() remote values, copied to main memory at the first read, one matrix() at a time.
  static TensorOf of(Shape shape, std::shared_ptr<const RemoteValues<T>> values) {
    TensorOf tensor;
    tensor.shape_ = shape;
    tensor.remote_ = std::move(values);
    return tensor;
  }
  /// A copy has its own values, in main memory.
  TensorOf(const TensorOf& other);
  TensorOf& operator=(const TensorOf& other) { return *this = TensorOf(other); }
  TensorOf(TensorOf&&) noexcept = default;
  TensorOf& operator=(TensorOf&&) noexcept = default;
  ~TensorOf() = default;

  const Shape& shape() const { return shape_; }
  std::int64_t size() const { return remote_ ? shape_.count() : static_cast<std::int64_t>(values_.size()); }
  T* data() {
    bring_all();
    return values_.data();
  }
  const T* data() const { return remote_ ? remote_->bring(0, size()) : values_.data(); }
  std::span<T> values() { return {data(), static_cast<std::size_t>(size())}; }
  std::span<const T> values() const { return {data(), static_cast<std::size_t>(size())}; }
  /// Null for values in main memory.
  const std::shared_ptr<const RemoteValues<T>>& remote() const { return remote_; }

  /// The same values in another shape. Throws Error when the number of values differs.
  TensorOf reshaped(Shape shape) &&;

  /// The last two dimensions at the given leading indices: matrix() of rank 2, matrix(b) of rank 3, matrix(b,
  /// h) of rank 4. No bounds are checked in a release build.
  MatrixMap<T> matrix(std::int64_t outer = 0, std::int64_t inner = 0) {
    return {data() + offset(outer, inner), rows(), columns()};
  }
  ConstMatrixMap<T> matrix(std::int64_t outer = 0, std::int64_t inner = 0) const {
    const std::int64_t begin = offset(outer, inner);
    return {(remote_ ? remote_->bring(begin, rows() * columns()) : values_.data()) + begin, rows(),
            columns()};
  }

  bool operator==(const TensorOf& other) const;

 private:
  Eigen::Index rows() const { return shape_.rank() < 2 ? 1 : shape_[shape_.rank() - 2]; }
  Eigen::Index columns() const { return shape_.rank() < 1 ? 1 : shape_[shape_.rank() - 1]; }
  std::int64_t offset(std::int64_t outer, std::int64_t inner) const {
    const std::int64_t block = rows() * columns();
    return (shape_.rank() >= 4 ? outer * shape_[shape_.rank() - 3] + inner : outer) * block;
  }

  void bring_all();

  Shape shape_;
  std::vector<T> values_;  // empty for remote values
  std::shared_ptr<const RemoteValues<T>> remote_;
};

using Tensor = TensorOf<float>;
/// The form in which stages, threads and views pass tensors: shared and immutable.
template <class T>
using TensorPtrOf = std::shared_ptr<const TensorOf<T>>;
using TensorPtr = TensorPtrOf<float>;

/// A tensor of one dimension; null for no numbers.
TensorPtr row_tensor(const std::vector<float>& numbers);

/// The same numbers in double; null for null.
TensorPtrOf<double> widened(const TensorPtr&);

}  // namespace attnscope
