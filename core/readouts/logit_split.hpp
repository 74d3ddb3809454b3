// core/readouts: direct logit attribution: the final logit of one position, or the difference of two logits,
// as the sum of the contributions of embedding, heads and MLPs to the residual stream.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/readouts/stream.hpp"

namespace attnscope {

/// Linear, because the final norm keeps its scale of this row; nothing is folded into weights. LayerNorm's
/// centring, the norm's bias and the unembedding's bias are parts of their own.
struct LogitSplit {
  std::vector<StreamPart> parts;
  std::vector<double> values;  // for each part; their sum is the logit up to float32 rounding in the stream
  double logit = 0;            // before the soft-cap, if the model has one; or the difference of two logits
  double norm_scale = 1;       // 1 / √(… + ε) of the final norm
};

/// What makes the mean of all tokens' logits; a share common to all logits changes no probability.
struct MeanLogit {
  std::vector<double> of_width;  // [d_model], before the model's logit scale
  double bias = 0;
};
/// Reads the whole unembedding. Throws Cancelled.
MeanLogit mean_logit(const Model&, const Work&);

/// Splits the logit of `token` at a row of the output stack, minus that of `other` or minus the mean. Throws
/// Error if the model has no logits, if the stream is not a sum (check_is_sum()), or if the row or token does
/// not exist; or Cancelled.
LogitSplit split_logit(const Model&, const ModelRun&, std::int64_t row, std::int64_t token,
                       std::optional<std::int64_t> other, const Work&, const MeanLogit* less = nullptr);

}  // namespace attnscope
