// core/engine: numbers of a model run that are computed once, with the run, so that views only read them.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "core/base/tensor.hpp"
#include "core/models/run_model.hpp"

namespace attnscope {

struct RunNumbers {
  struct Attention {
    AttentionOf of = AttentionOf::Decoder;
    /// [block][head]: the mean of H / ln(allowed keys) over the rows that have a choice; NaN if none has, or
    /// if entropies were not requested.
    std::vector<std::vector<double>> entropy;
  };
  std::vector<Attention> attentions;  // those of encoder, decoder and cross that the model has
  double median_entropy = std::numeric_limits<double>::quiet_NaN();  // over all heads that have one
  Tensor stream_norms;  // stream_norms() of the stack that gives the output

  /// NaN if it is not known.
  double entropy_of(AttentionOf, int block, std::int64_t head) const;
};
/// Throws Cancelled.
RunNumbers run_numbers(const Model&, const ModelRun&, const Work&);

}  // namespace attnscope
