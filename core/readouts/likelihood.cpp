#include "core/readouts/likelihood.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/readouts/unembed.hpp"

namespace attnscope {

TextLikelihood likelihood_of(const Model& model, const ModelRun& run, const Work& work) {
  if (!model.spec.decoder)
    throw Error(
        fmt::format("{} does not predict the next token, so a text has no likelihood.", model.spec.family));
  const bool of_both = model.spec.encoder.has_value();
  const std::vector<std::int64_t>& ids = of_both ? run.input.decoder_ids : run.input.ids;
  const std::vector<std::uint8_t>& mask = run.input.mask;
  const auto hidden = [&](std::size_t i) { return !of_both && !mask.empty() && mask[i] == 0; };
  TextLikelihood text;
  text.tokens.assign(ids.size(), std::numeric_limits<double>::quiet_NaN());
  double count = 0;
  each_prediction(
      model, run, 0,
      [&](std::int64_t row, std::span<const float> logits) {
        const auto next = static_cast<std::size_t>(row + 1);
        if (next >= ids.size() || hidden(next) || hidden(next - 1)) return;
        text.tokens[next] = -log_softmax(logits)[static_cast<std::size_t>(ids[next])];
        text.sum += text.tokens[next];
        ++count;
      },
      work);
  text.mean = text.sum / count;  // NaN if there are none
  text.perplexity = std::exp(text.mean);
  return text;
}

std::vector<ContextBin> likelihood_by_context(const TextLikelihood& text) {
  std::vector<ContextBin> bins;
  for (std::int64_t from = 1; from < std::ssize(text.tokens); from *= 2) {
    ContextBin bin{.from = from, .to = 2 * from};
    for (std::int64_t i = from; i < std::min(bin.to, std::ssize(text.tokens)); ++i) {
      const double loss = text.tokens[static_cast<std::size_t>(i)];
      if (std::isnan(loss)) continue;
      bin.mean += loss;
      ++bin.tokens;
    }
    bin.mean /= static_cast<double>(bin.tokens);
    if (bin.tokens > 0) bins.push_back(bin);
  }
  return bins;
}

std::vector<MaskedPrediction> masked_predictions(const Model& model, const ModelRun& run,
                                                 std::int64_t mask_id, std::int64_t k, const Work& work) {
  std::vector<MaskedPrediction> found;
  each_prediction(
      model, run, 0,
      [&](std::int64_t row, std::span<const float> logits) {
        const auto at = static_cast<std::size_t>(row);
        if (at < run.input.ids.size() && run.input.ids[at] == mask_id)
          found.push_back({row, likeliest(logits, k)});
      },
      work);
  return found;
}

}  // namespace attnscope
