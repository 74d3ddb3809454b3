// core/readouts/over_texts: sentence embeddings of texts, and their cosine similarity.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/tensor.hpp"
#include "core/models/opened/sentence_modules.hpp"
#include "core/readouts/over_texts/spread.hpp"
#include "core/readouts/over_texts/text_list.hpp"

namespace attnscope {

/// The concatenated results of `pooling` over the rows, [ways × width] in double. Rows with 0 in `mask` are
/// left out; an empty mask hides none. Throws Error if all rows are hidden.
std::vector<double> pooled_rows(const KeptRows& rows, std::span<const std::uint8_t> mask,
                                std::span<const SentencePooling> pooling);

/// The same for the last hidden state behind the final norm: of the encoder, also in an encoder-decoder, or
/// of a decoder-only model. Tokens that the input hides are left out.
std::vector<double> sentence_embedding(const Model&, const ModelRun&,
                                       std::span<const SentencePooling> pooling);

struct SimilarityRequest {
  std::vector<SentencePooling> pooling;  // at least one
  int most_tokens = 0;                   // the most tokens of a text; 0 = the model's limit
};

struct Similarity {
  /// [texts][texts] a·b / √(a·a · b·b), in double: 1 on the diagonal; NaN if a vector is zero or not finite.
  TensorOf<double> cosine;
  Spread pairs;                          // the cosines of different texts: a baseline for each cosine
  std::vector<std::int64_t> tokens;      // of each text
  std::vector<TextTrouble> untold;       // texts with characters that have no token
  std::vector<TextTrouble> not_numbers;  // texts that have no cosine, and why
};

inline constexpr std::int64_t most_compared_texts = 4000;

/// Texts run one by one, without padding. Throws Error, naming the line if a text is the reason: for fewer
/// than two texts, more than most_compared_texts, a text with too many tokens, or a model of pictures; or
/// Cancelled.
Similarity similarity(const OpenedModel&, const TextList&, const SimilarityRequest&, TextsProgress*,
                      const Work&);

}  // namespace attnscope
