// core/blocks: views of rows of numbers, the operands of a block's operations.
#pragma once

#include <cstdint>
#include <vector>

namespace attnscope {

/// Rows of numbers in memory of another owner: row i begins at data + i * stride.
struct FloatRows {
  float* data = nullptr;
  std::int64_t rows = 0, width = 0, stride = 0;
  float* row(std::int64_t i) const { return data + i * stride; }
};
struct ConstFloatRows {
  const float* data = nullptr;
  std::int64_t rows = 0, width = 0, stride = 0;
  ConstFloatRows() = default;
  ConstFloatRows(const float* data, std::int64_t rows, std::int64_t width, std::int64_t stride)
      : data(data), rows(rows), width(width), stride(stride) {}
  ConstFloatRows(const FloatRows& r) : ConstFloatRows(r.data, r.rows, r.width, r.stride) {}
  const float* row(std::int64_t i) const { return data + i * stride; }
};

/// Rows that begin at different sets of the CPU cache: contiguous rows of 1,024 floats would evict each
/// other, and a product reads ten rows at a time. The memory is reused.
class SpreadRows {
 public:
  /// The numbers are uninitialised or left from earlier rows.
  FloatRows make(std::int64_t rows, std::int64_t width) {
    constexpr std::int64_t line = 16;  // floats in a line of the cache
    const std::int64_t lines = (width + line - 1) / line;
    const std::int64_t stride = (lines | 1) * line;  // an odd number of lines: uses all cache sets in turn
    if (std::ssize(values_) < rows * stride) values_.resize(static_cast<std::size_t>(rows * stride));
    return {values_.data(), rows, width, stride};
  }

 private:
  std::vector<float> values_;
};

}  // namespace attnscope
