// core/readouts/over_texts: statistics of a model's heads over many texts: mean, deviation and extremes of
// their scores and of the effects of ablating each. A single text proves little.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/readouts/ablations.hpp"
#include "core/readouts/over_texts/spread.hpp"
#include "core/readouts/over_texts/text_list.hpp"

namespace attnscope {

/// What is measured for each head on one text.
enum class TextMeasure : std::uint8_t {
  // As HeadScore, in the same order.
  Previous,
  Next,
  Duplicate,
  Induction,
  First,
  Special,
  Entropy,  // mean of H / ln(allowed keys) over rows with at least two allowed keys
  // As in AblationEffect, for the head alone.
  Divergence,
  TopLogit,
  MeanDivergence,
  Likelihood,
};
inline constexpr std::size_t text_measure_count = 11;
/// "previous_token", "normalised_entropy"; for effects the names in `attnscope atlas`: "kl",
/// "top_logit_change", "mean_kl", "nll_change".
std::string_view id_of(TextMeasure);
bool is_effect(TextMeasure);

struct HeadSpread {
  AttentionOf of = AttentionOf::Decoder;
  int block = 0, head = 0;
  std::array<MeasureSpread, text_measure_count> measures;
  const MeasureSpread& at(TextMeasure measure) const { return measures[static_cast<std::size_t>(measure)]; }
};

struct HeadSpreadRequest {
  std::optional<std::string> decoder_text = {};  // of encoder-decoders: the decoder's text so far
  /// If set, effects of ablation are measured, too: on the prediction of the next token, of the first masked
  /// token or of the text's class. Its `row` must be empty.
  std::optional<AblationRequest> effects = {};
};

struct HeadSpreads {
  std::vector<TextMeasure> measured;
  std::vector<HeadSpread> heads;         // of each stack's self-attention, the encoder's first
  std::vector<std::int64_t> tokens;      // of each text
  std::vector<TextTrouble> untold;       // texts with characters that the model has no token for
  std::vector<TextTrouble> not_numbers;  // texts for which the model computes NaN or infinity
  /// Effects exist only for the stack that makes the output.
  bool has(const HeadSpread&, TextMeasure) const;
  AttentionOf output = AttentionOf::Decoder;
};

/// Texts run one by one, without padding. Throws Error, naming the line if a text is the reason: for a model
/// of pictures, a decoder's text without a second stack, or effects without a row to measure them on; or
/// Cancelled.
HeadSpreads head_spreads(const OpenedModel&, const TextList&, const HeadSpreadRequest&, TextsProgress*,
                         const Work&);

}  // namespace attnscope
