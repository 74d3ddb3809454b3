#include "core/readouts/unembed.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/models/model_head.hpp"

namespace attnscope {

void check_has_logits(const Model& model) {
  const HeadKind kind = model.spec.head.kind;
  if (kind != HeadKind::NextToken && kind != HeadKind::MaskedToken)
    throw Error(fmt::format("{} has no logits of tokens here, so it predicts none.", model.spec.family));
}

Tensor unembed_normed(const Model& model, const float* rows, std::int64_t count, const Work& work) {
  check_has_logits(model);
  return head_logits(model, rows, count, work);
}

Tensor unembed(const Model& model, const float* rows, std::int64_t count, const Work& work) {
  check_has_logits(model);
  return stream_logits(model, rows, count, work);
}

void each_prediction(const Model& model, const ModelRun& run, std::int64_t first,
                     const std::function<void(std::int64_t, std::span<const float>)>& fn, const Work& work) {
  check_has_logits(model);
  const KeptRows& normed = run.last(model).normed;
  const std::int64_t rows = normed.rows();
  if (run.logits.rows() == rows) {
    for (std::int64_t i = first; i < rows; ++i)
      fn(i, {run.logits.row(i), static_cast<std::size_t>(run.logits.width)});
    return;
  }
  constexpr std::int64_t at_once = 64;
  for (std::int64_t begin = first; begin < rows; begin += at_once) {
    const Tensor some = unembed_normed(model, normed.row(begin), std::min(at_once, rows - begin), work);
    for (std::int64_t i = 0; i < some.shape()[0]; ++i)
      fn(begin + i, {some.matrix().row(i).data(), static_cast<std::size_t>(some.shape()[1])});
  }
}

}  // namespace attnscope
