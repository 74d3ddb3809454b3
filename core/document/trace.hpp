// core/document: the tensors of one computation, one per stage. A stage that a change does not affect is
// shared with the previous Trace: the pointers are equal.
#pragma once

#include "core/base/tensor.hpp"
#include "core/document/stage.hpp"

namespace attnscope {

template <class T>
class TraceOf {
 public:
  /// Null where the stage does not exist for the Document: the stages before Query with given Q, K and V,
  /// Output if these have no W_O, Memory without a second sequence, latents, Fuse, Bucket, Bias and Linear
  /// where they are off, and all stages after Output without a block.
  const TensorPtrOf<T>& operator[](Stage stage) const { return tensors_[stage]; }
  TensorPtrOf<T>& operator[](Stage stage) { return tensors_[stage]; }

 private:
  PerStage<TensorPtrOf<T>> tensors_;
};

using Trace = TraceOf<float>;

}  // namespace attnscope
