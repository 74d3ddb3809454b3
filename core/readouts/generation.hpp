// core/readouts: what a decoder said of the tokens that were appended one after the other, and what the row
// that predicts the next one reads of the key/value cache.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "core/models/run_model.hpp"
#include "core/readouts/text/prediction.hpp"

namespace attnscope {

/// A token that was appended, and the prediction that it was chosen from.
struct GeneratedToken {
  std::int64_t row = 0;  // whose prediction that was: the row before its own
  std::int64_t id = 0;
  double log_probability = 0;  // of it
  double probability() const { return std::exp(log_probability); }
  std::int64_t rank = 0;  // 1 = the likeliest
  double entropy = 0;     // of the prediction, nats
  std::vector<PredictedToken> top;
  bool operator==(const GeneratedToken&) const = default;
};
/// `candidates`: how many of the likeliest tokens are kept.
GeneratedToken generated_token(std::span<const float> logits, std::int64_t row, std::int64_t id,
                               std::int64_t candidates);

/// What row i of a decoder gives to every position, [blocks][rows of the run]: the mean of its heads'
/// weights, with the run's changes; 0 at positions behind it. Each row sums to 1 where every head sees a key.
/// Throws Cancelled.
Tensor cache_reads(const Model&, const ModelRun&, std::int64_t row, const Work&);

}  // namespace attnscope
