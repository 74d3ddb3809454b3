// core/models/reading: a model's tensors by name, from safetensors or GGUF.
#pragma once

#include <string>
#include <vector>

#include "core/base/stored_tensor.hpp"

namespace attnscope {

/// Remembers which tensors were taken. Not thread-safe.
class TensorSource {
 public:
  TensorSource() = default;
  virtual ~TensorSource() = default;
  TensorSource(const TensorSource&) = delete;
  TensorSource& operator=(const TensorSource&) = delete;

  virtual bool has(const std::string& name) const = 0;
  /// Throws Error naming the tensor if it is missing, has another shape, or a type that cannot be used as
  /// weights.
  virtual StoredTensor take(const std::string& name, const Shape& shape) = 0;
  /// [rows][columns] if only the number of columns is known.
  virtual StoredTensor take_rows(const std::string& name, std::int64_t columns) = 0;
  /// take(), as floats.
  std::vector<float> take_floats(const std::string& name, const Shape& shape) {
    const Tensor tensor = take(name, shape).widened();
    return {tensor.values().begin(), tensor.values().end()};
  }

  /// Names in the files of the tensors that were taken, and of the others.
  virtual std::vector<std::string> used() const = 0;
  virtual std::vector<std::string> ignored() const = 0;
};

}  // namespace attnscope
