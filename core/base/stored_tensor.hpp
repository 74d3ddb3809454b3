// core/base: numbers as they are stored, in memory of another owner: a mapped file of bfloat16 or
// quantised weights is used where it lies and widened a piece at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "core/base/element_type.hpp"
#include "core/base/tensor.hpp"

namespace attnscope {

/// How a matrix W of weights lies: [d_in][d_out], as a Document has it, or [d_out][d_in], as PyTorch's Linear
/// stores it.
enum class WeightLayout : std::uint8_t { InOut, OutIn };

/// Memory that outlives its readers. Shared; safe to use from any thread.
class MemoryOwner {
 public:
  MemoryOwner() = default;
  virtual ~MemoryOwner() = default;
  MemoryOwner(const MemoryOwner&) = delete;
  MemoryOwner& operator=(const MemoryOwner&) = delete;
  /// Throws Error when the memory cannot be read any more. Called before each piece of it is.
  virtual void check() const {}
};

/// A dense, row-major array of up to five dimensions, read-only. Copies share the memory.
class StoredTensor {
 public:
  StoredTensor() = default;
  /// `bytes` may have any alignment and lie in what `owner` keeps. Throws Error when they are not as many as
  /// the shape needs, or when rows do not end where blocks do: the last dimension must be a multiple of the
  /// type's block.
  StoredTensor(ElementType, Shape, std::span<const std::byte> bytes,
               std::shared_ptr<const MemoryOwner> owner);
  /// The values of a Tensor where they are; it must not be null.
  explicit StoredTensor(TensorPtr);

  ElementType type() const { return type_; }
  const Shape& shape() const { return shape_; }
  std::span<const std::byte> bytes() const { return bytes_; }
  /// Keeps the bytes as they are for as long as it lives.
  const std::shared_ptr<const MemoryOwner>& owner() const { return owner_; }

  /// Throws Error when the memory cannot be read any more.
  void check() const { owner_->check(); }
  /// All values where they lie; empty where they are no floats or not aligned as such. Call check() before
  /// reading.
  std::span<const float> floats() const;
  /// The values from number `first` on, to.size() of them; both ends may cut a block. Throws Error as
  /// check().
  void read(std::int64_t first, std::span<float> to) const;
  /// Columns [first, first + to.cols()) of a stored matrix of two dimensions; a block that they cut is
  /// widened whole. Throws Error as check().
  void read_columns(std::int64_t first, MatrixMap<float> to) const;
  /// All of it as a Tensor of its own. Throws Error as check().
  Tensor widened() const;

 private:
  void widen_from(std::int64_t first, std::span<float> to) const;  // unchecked

  ElementType type_ = ElementType::Float32;
  Shape shape_{0};
  std::span<const std::byte> bytes_;
  std::shared_ptr<const MemoryOwner> owner_ = std::make_shared<const MemoryOwner>();
};

}  // namespace attnscope
