// core/readouts/over_texts: one vector for each text, and how alike texts are to a model.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/tensor.hpp"
#include "core/models/opened/sentence_modules.hpp"
#include "core/readouts/over_texts/spread.hpp"
#include "core/readouts/over_texts/text_list.hpp"

namespace attnscope {

/// What `pooling` makes of rows, side by side, [ways × width] in double. A row whose mark in `mask` is 0
/// takes no part; an empty mask hides none. Throws Error where all are hidden.
std::vector<double> pooled_rows(const KeptRows& rows, std::span<const std::uint8_t> mask,
                                std::span<const SentencePooling> pooling);

/// The same of the last hidden state, behind the final norm: of an encoder, also that of an encoder-decoder,
/// or of a decoder that is alone; tokens that the input hides take no part.
std::vector<double> sentence_embedding(const Model&, const ModelRun&,
                                       std::span<const SentencePooling> pooling);

struct SimilarityRequest {
  std::vector<SentencePooling> pooling;  // at least one
  int most_tokens = 0;                   // that a text may have; 0 = as many as the model takes
};

struct Similarity {
  /// [texts][texts] a·b / √(a·a · b·b), in double: 1 on the diagonal; NaN where a vector is zero or no
  /// number.
  TensorOf<double> cosine;
  Spread pairs;                          // of the cosines of two different texts: the baseline for each
  std::vector<std::int64_t> tokens;      // of each text
  std::vector<TextTrouble> untold;       // texts with characters that have no token
  std::vector<TextTrouble> not_numbers;  // texts that have no cosine, and why
};

inline constexpr std::int64_t most_compared_texts = 4000;

/// Texts run one after the other, none is padded. Throws Error with a sentence, with the line where a text is
/// at fault: fewer than two texts, more than most_compared_texts, a text with too many tokens, a model of
/// pictures; or Cancelled.
Similarity similarity(const OpenedModel&, const TextList&, const SimilarityRequest&, TextsProgress*,
                      const Work&);

}  // namespace attnscope
