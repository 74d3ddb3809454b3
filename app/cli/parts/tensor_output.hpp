// app/cli/parts: collects tensors for a file. They are written in the type of the input, whatever type they
// were computed in.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "core/files/formats/safetensors.hpp"

namespace attnscope {

/// Collects tensors and writes them at once, atomically, so that the output file may be the input file.
class TensorOutput {
 public:
  /// `dtype`: the type written: F16, BF16, F32 or F64.
  explicit TensorOutput(DType dtype) : dtype_(dtype) {}

  template <class T>
  void add(std::string name, TensorPtrOf<T> tensor) {
    tensors_.push_back({std::move(name), tensor.get(), dtype_});
    kept_.push_back(std::move(tensor));
  }
  template <class T>
  void add(std::string name, TensorOf<T>&& tensor) {
    add<T>(std::move(name), std::make_shared<const TensorOf<T>>(std::move(tensor)));
  }
  /// Whole numbers are written as I64.
  void add_whole(std::string name, TensorOf<std::int64_t>&& tensor) {
    whole_.push_back(std::make_unique<const TensorOf<std::int64_t>>(std::move(tensor)));
    tensors_.push_back({std::move(name), whole_.back().get(), DType::I64});
  }
  void write(const std::filesystem::path& path) const { write_safetensors(path, tensors_); }

 private:
  DType dtype_;
  std::vector<NamedTensor> tensors_;
  std::vector<std::unique_ptr<const TensorOf<std::int64_t>>> whole_;
  std::vector<std::variant<TensorPtrOf<float>, TensorPtrOf<double>>> kept_;  // alive until written
};

}  // namespace attnscope
