// core/engine: what is counted once of a run of a model, where it is made, so that a view only reads it.
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
    /// Of each head: the mean of H / ln(allowed keys) over the rows that have a choice; NaN where none has,
    /// or where entropies were not asked for. [block][head]
    std::vector<std::vector<double>> entropy;
  };
  std::vector<Attention> attentions;  // encoder, decoder, cross, as far as the model has them
  double median_entropy = std::numeric_limits<double>::quiet_NaN();  // of all heads that have one
  Tensor stream_norms;  // stream_norms() of the stack that gives the output

  /// NaN where it is not known.
  double entropy_of(AttentionOf, int block, std::int64_t head) const;
};
/// Throws Cancelled.
RunNumbers run_numbers(const Model&, const ModelRun&, const Work&);

}  // namespace attnscope
