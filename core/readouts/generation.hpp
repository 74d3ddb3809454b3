// core/readouts: a decoder's predictions of tokens that were appended one by one, and how the predicting row
// reads the key/value cache.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "core/models/run_model.hpp"
#include "core/readouts/text/prediction.hpp"

namespace attnscope {

/// An appended token, and the prediction that it was chosen from.
struct GeneratedToken {
  std::int64_t row = 0;  // the predicting row: the one before the token's own
  std::int64_t id = 0;
  double log_probability = 0;  // of this token
  double probability() const { return std::exp(log_probability); }
  std::int64_t rank = 0;  // 1 = the likeliest
  double entropy = 0;     // of the prediction, in nats
  std::vector<PredictedToken> top;
  bool operator==(const GeneratedToken&) const = default;
};
/// `candidates`: how many of the likeliest tokens to keep.
GeneratedToken generated_token(std::span<const float> logits, std::int64_t row, std::int64_t id,
                               std::int64_t candidates);

/// The mean over a block's heads of the weights of row i, [blocks][rows of the run], with the run's changes;
/// 0 at later positions. Each row sums to 1 if every head sees a key. Throws Cancelled.
Tensor cache_reads(const Model&, const ModelRun&, std::int64_t row, const Work&);

}  // namespace attnscope
