// core/readouts/over_texts: what the heads of a model do on many texts: mean, spread and ends of their scores
// and of the effects of ablating each. One text proves little.
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

/// What is measured of a head on one text.
enum class TextMeasure : std::uint8_t {
  // As HeadScore, in its order.
  Previous,
  Next,
  Duplicate,
  Induction,
  First,
  Special,
  Entropy,  // mean of H / ln(allowed keys) over the rows with two allowed keys and more
  // As AblationEffect has them, of the head alone.
  Divergence,
  TopLogit,
  MeanDivergence,
  Likelihood,
};
inline constexpr std::size_t text_measure_count = 11;
/// "previous_token", "normalised_entropy"; of effects as `attnscope atlas` calls them: "kl",
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
  std::optional<std::string> decoder_text = {};  // what the decoder of an encoder-decoder has said so far
  /// Effects of ablation are measured, too, on the prediction behind the text, of the first masked token or
  /// of the text's class. Its row must be empty.
  std::optional<AblationRequest> effects = {};
};

struct HeadSpreads {
  std::vector<TextMeasure> measured;
  std::vector<HeadSpread> heads;         // of each stack's attention to itself, the encoder first
  std::vector<std::int64_t> tokens;      // of each text
  std::vector<TextTrouble> untold;       // texts with characters that have no token
  std::vector<TextTrouble> not_numbers;  // texts on which the model's numbers stop being numbers
  /// Effects are of the stack that gives the output.
  bool has(const HeadSpread&, TextMeasure) const;
  AttentionOf output = AttentionOf::Decoder;
};

/// Texts run one after the other, none is padded. Throws Error with a sentence, with the line where a text is
/// at fault: a model of pictures, a decoder's text where there is no second stack, effects where no row can
/// be told whose prediction they are measured on; or Cancelled.
HeadSpreads head_spreads(const OpenedModel&, const TextList&, const HeadSpreadRequest&, TextsProgress*,
                         const Work&);

}  // namespace attnscope
