// core/readouts: how well a decoder predicts the text that it reads, token by token and against how much of
// it came before; and what a model puts in the place of masked tokens.
#pragma once

#include <cstdint>
#include <vector>

#include "core/models/run_model.hpp"
#include "core/readouts/text/prediction.hpp"

namespace attnscope {

/// Negative log-likelihood −ln p(token | those before), nats.
struct TextLikelihood {
  std::vector<double> tokens;  // [n]; NaN for the first, which nothing predicts, and for hidden ones
  double sum = 0, mean = 0;    // over the others; mean and perplexity NaN without any
  double perplexity = 0;       // e^mean
};
/// Of the tokens that the decoder of the run read (decoder_ids of an encoder-decoder). Throws Error where the
/// model has no decoder with logits, or Cancelled.
TextLikelihood likelihood_of(const Model&, const ModelRun&, const Work&);

/// Tokens with [from, to) tokens before them.
struct ContextBin {
  std::int64_t from = 0, to = 0, tokens = 0;
  double mean = 0;  // negative log-likelihood
};
/// Bins of doubling width: 1, 2–3, 4–7, …; those without tokens are left out.
std::vector<ContextBin> likelihood_by_context(const TextLikelihood&);

struct MaskedPrediction {
  std::int64_t row = 0;
  std::vector<PredictedToken> tokens;
};
/// The k likeliest tokens at each place of the input that holds `mask_id`. Throws Error where the model has
/// no logits, or Cancelled.
std::vector<MaskedPrediction> masked_predictions(const Model&, const ModelRun&, std::int64_t mask_id,
                                                 std::int64_t k, const Work&);

}  // namespace attnscope
