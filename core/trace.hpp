// core: the tensors of one computation, one per stage. A stage that a change did not touch is shared with the
// Trace before it: pointer-equal.
#pragma once

#include <array>

#include "core/stage.hpp"
#include "core/tensor.hpp"

namespace attnscope {

class Trace {
 public:
  /// Null where the stage does not exist: Embed, Position and Output of a Document with given Q, K, V.
  const TensorPtr& operator[](Stage stage) const { return tensors_[static_cast<std::size_t>(stage)]; }
  TensorPtr& operator[](Stage stage) { return tensors_[static_cast<std::size_t>(stage)]; }

 private:
  std::array<TensorPtr, stage_count> tensors_;
};

}  // namespace attnscope
