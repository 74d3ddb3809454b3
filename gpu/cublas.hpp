// gpu: products of matrices by cuBLAS, which is loaded when it is first asked for: the program starts without
// it.
#pragma once

#include <memory>
#include <string>

#include "gpu/device.hpp"

// Of the CUDA runtime.
struct CUstream_st;

namespace attnscope::gpu {

/// Used from one thread.
class Cublas {
 public:
  /// For work in this stream of the current device. Null, and the reason as a sentence, where the library is
  /// not installed or does not start.
  static std::unique_ptr<Cublas> open(CUstream_st* stream, std::string& why_not);
  virtual ~Cublas() = default;
  /// Float32 is multiplied as float32 and never rounded to TF32. Throws Error.
  virtual void multiply(const RowProduct&) = 0;
};

}  // namespace attnscope::gpu
