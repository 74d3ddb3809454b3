// core/base: weights whose codes and scales lie apart in a file, widened a region at a time where they lie.
// The forms are in core/coded.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace attnscope {

/// A part of a matrix: row r of it is written to to + r * stride.
struct CodedRegion {
  std::int64_t row, rows, column, columns;
  float* to;
  std::int64_t stride;
};

/// A matrix of stored codes. Safe to use from any thread; the owner of its bytes is that of the StoredTensor.
class CodedWeights {
 public:
  explicit CodedWeights(std::string name) : name_(std::move(name)) {}
  virtual ~CodedWeights() = default;
  CodedWeights(const CodedWeights&) = delete;
  CodedWeights& operator=(const CodedWeights&) = delete;

  /// For people: "FP8", "GPTQ 4 bit".
  const std::string& name() const { return name_; }
  /// The region must lie in the matrix.
  virtual void widen(const CodedRegion&) const = 0;

 private:
  std::string name_;
};

}  // namespace attnscope
