// core/document: the tensors of one computation, one per stage. A stage that a change did not touch is shared
// with the Trace before it: pointer-equal.
#pragma once

#include "core/base/tensor.hpp"
#include "core/document/stage.hpp"

namespace attnscope {

template <class T>
class TraceOf {
 public:
  /// Null where the stage does not exist for the Document: Embed, Position and Output with given Q, K and V,
  /// Memory without a second sequence, Fuse, Bucket, Bias and Linear where they are off, all after Output
  /// without a block.
  const TensorPtrOf<T>& operator[](Stage stage) const { return tensors_[stage]; }
  TensorPtrOf<T>& operator[](Stage stage) { return tensors_[stage]; }

 private:
  PerStage<TensorPtrOf<T>> tensors_;
};

using Trace = TraceOf<float>;

}  // namespace attnscope
