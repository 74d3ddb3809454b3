// core/tokenizers: SentencePiece's byte pair encoding, which has scores of tokens instead of a list of
// merges.
#pragma once

#include <span>
#include <vector>

#include "core/tokenizers/bpe.hpp"

namespace attnscope::tokenizers {

/// Two tokens merge if their concatenation is a token; the one with the highest score is made first, of equal
/// scores the leftmost. `scores`: by id, as many as vocabulary.limit(). `merge`: by id, whether the token
/// takes part (SentencePiece's normal pieces do); empty: all do.
std::vector<RankedMerge> merges_of_scores(const Vocabulary& vocabulary, std::span<const double> scores,
                                          const std::vector<bool>& merge = {});

}  // namespace attnscope::tokenizers
