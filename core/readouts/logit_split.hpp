// core/readouts: direct logit attribution: the final logit of one position, or the difference of two, as the
// sum of what embedding, heads and MLPs wrote into the stream.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/readouts/stream.hpp"

namespace attnscope {

/// Linear, since the final norm keeps the scale that it has in this row; nothing is folded into weights. What
/// a LayerNorm's centring takes away, the norm's bias and the unembedding's are parts of their own.
struct LogitSplit {
  std::vector<StreamPart> parts;
  std::vector<double> values;  // of each part; their sum is the logit up to float32's rounding in the stream
  double logit = 0;            // before the soft-cap, if the model has one; of a difference: that of the two
  double norm_scale = 1;       // 1 / √(… + ε) of the final norm
};

/// What makes the mean of all tokens' logits: what they all share moves no probability.
struct MeanLogit {
  std::vector<double> of_width;  // [d_model], before the model's logit scale
  double bias = 0;
};
/// Reads the whole unembedding. Throws Cancelled.
MeanLogit mean_logit(const Model&, const Work&);

/// Of the logit of `token` at a row of the output stack, less that of `other` or less the mean. Throws Error
/// where the model has no logits, where the stream is no sum (check_is_sum()) and for a row or token that
/// there is not; or Cancelled.
LogitSplit split_logit(const Model&, const ModelRun&, std::int64_t row, std::int64_t token,
                       std::optional<std::int64_t> other, const Work&, const MeanLogit* less = nullptr);

}  // namespace attnscope
