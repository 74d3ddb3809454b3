// core/attention/backward: what every step of the backward pass reads and writes.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/attention/backward/stage_gradients.hpp"
#include "core/attention/sources.hpp"
#include "core/base/parallel.hpp"
#include "core/document/document.hpp"
#include "core/document/precision.hpp"

namespace attnscope {

template <class T>
struct BackwardFrame {
  using Values = TensorOf<T>;
  using Ptr = TensorPtrOf<T>;

  const Work& work;
  const Document& document;
  const Sources<T>& from;
  const TraceOf<T>& trace;
  StageGradients<T>& at;
  Dimensions size;
  std::vector<std::uint8_t> open;  // OpenHeads

  static Ptr shared(Values&& tensor) { return std::make_shared<const Values>(std::move(tensor)); }
  Ptr block(const Ptr& tensor) const { return stored(document.precision, tensor); }
  const Values& stage(Stage which) const { return *trace[which]; }
  Ptr& parameter(Parameter which) { return at.parameters[which]; }
};

}  // namespace attnscope
