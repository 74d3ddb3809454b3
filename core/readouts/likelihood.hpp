// core/readouts: how well a decoder predicts the text that it reads, for each token and by the length of
// context; and a model's predictions for masked tokens.
#pragma once

#include <cstdint>
#include <vector>

#include "core/models/run_model.hpp"
#include "core/readouts/text/prediction.hpp"

namespace attnscope {

/// Negative log-likelihood −ln p(token | earlier tokens), in nats.
struct TextLikelihood {
  std::vector<double> tokens;  // [n]; NaN for the first token, which has no prediction, and for hidden ones
  double sum = 0, mean = 0;    // over the others; mean and perplexity are NaN if there are none
  double perplexity = 0;       // e^mean
};
/// For the tokens that the run's decoder read (decoder_ids in an encoder-decoder). Throws Error if the model
/// has no decoder with logits, or Cancelled.
TextLikelihood likelihood_of(const Model&, const ModelRun&, const Work&);

/// Tokens with a context of [from, to) tokens.
struct ContextBin {
  std::int64_t from = 0, to = 0, tokens = 0;
  double mean = 0;  // negative log-likelihood
};
/// Bins of doubling width: 1, 2–3, 4–7, …; empty bins are left out.
std::vector<ContextBin> likelihood_by_context(const TextLikelihood&);

struct MaskedPrediction {
  std::int64_t row = 0;
  std::vector<PredictedToken> tokens;
};
/// The k likeliest tokens at each place of the input with `mask_id`. Throws Error if the model has no logits,
/// or Cancelled.
std::vector<MaskedPrediction> masked_predictions(const Model&, const ModelRun&, std::int64_t mask_id,
                                                 std::int64_t k, const Work&);

}  // namespace attnscope
