// core/base: tensors in their storage type, in memory of another owner: a mapped file of bfloat16 or
// quantised weights is used in place and widened a piece at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "core/base/coded_weights.hpp"
#include "core/base/element_type.hpp"
#include "core/base/tensor.hpp"

namespace attnscope {

/// The layout of a weight matrix W: [d_in][d_out], as in a Document, or [d_out][d_in], as in PyTorch's
/// Linear.
enum class WeightLayout : std::uint8_t { InOut, OutIn };

/// Memory that outlives its readers. Shared; safe to use from any thread.
class MemoryOwner {
 public:
  MemoryOwner() = default;
  virtual ~MemoryOwner() = default;
  MemoryOwner(const MemoryOwner&) = delete;
  MemoryOwner& operator=(const MemoryOwner&) = delete;
  /// Throws Error when the memory can no longer be read. Called before each piece is read.
  virtual void check() const {}
};

/// A dense, row-major array of up to five dimensions, read-only. Copies share the memory.
class StoredTensor {
 public:
  StoredTensor() = default;
  /// `bytes` may have any alignment and lie in memory that `owner` keeps alive. Throws Error when their
  /// number does not fit the shape, or when the last dimension is not a multiple of the type's block.
  StoredTensor(ElementType, Shape, std::span<const std::byte> bytes,
               std::shared_ptr<const MemoryOwner> owner);
  /// Refers to the values of a Tensor, which must not be null.
  explicit StoredTensor(TensorPtr);
  /// Codes with scales elsewhere, which `owner` keeps alive too; rows are those of the last dimension.
  /// `bytes`: the codes.
  StoredTensor(std::shared_ptr<const CodedWeights>, Shape, std::span<const std::byte> bytes,
               std::shared_ptr<const MemoryOwner> owner);

  /// The name of the type, or that of the codes: "BF16", "FP8".
  std::string_view type_name() const { return coded_ ? std::string_view(coded_->name()) : to_string(type_); }
  ElementType type() const { return type_; }
  const Shape& shape() const { return shape_; }
  std::span<const std::byte> bytes() const { return bytes_; }
  /// The owner, which keeps the bytes alive and unchanged.
  const std::shared_ptr<const MemoryOwner>& owner() const { return owner_; }

  /// Throws Error when the memory cannot be read any more.
  void check() const { owner_->check(); }
  /// Rows [first, first + count) of the first dimension, in the same memory; the others stay as they are.
  /// Throws Error when there are no such rows.
  StoredTensor rows(std::int64_t first, std::int64_t count) const;
  /// Entry i of the first dimension, without that dimension.
  StoredTensor entry(std::int64_t i) const;
  /// All values in place; empty if they are not floats or not aligned as floats. Call check() before reading.
  std::span<const float> floats() const;
  /// Reads to.size() values from index `first` on; both ends may cut a block. Throws Error as check().
  void read(std::int64_t first, std::span<float> to) const;
  /// Columns [first, first + to.cols()) of a stored matrix of two dimensions; a block that is cut is widened
  /// whole. Throws Error as check().
  void read_columns(std::int64_t first, MatrixMap<float> to) const;
  /// All values as a new Tensor. Throws Error as check().
  Tensor widened() const;

 private:
  void widen_from(std::int64_t first, std::span<float> to) const;  // unchecked
  void widen_codes(std::int64_t first, std::span<float> to) const;

  ElementType type_ = ElementType::Float32;
  Shape shape_{0};
  std::span<const std::byte> bytes_;
  std::shared_ptr<const CodedWeights> coded_;  // null unless the type is Coded
  std::int64_t first_row_ = 0;                 // of coded_, whose bytes are those of all rows
  std::shared_ptr<const MemoryOwner> owner_ = std::make_shared<const MemoryOwner>();
};

}  // namespace attnscope
