// core/tokenizers: SentencePiece's byte pair encoding, which has scores of tokens in place of a list of
// merges.
#pragma once

#include <span>
#include <vector>

#include "core/tokenizers/bpe.hpp"

namespace attnscope::tokenizers {

/// Two tokens merge whenever what they make is a token; the one with the highest score is made first, the
/// leftmost of equals. `scores` are by id, as many as vocabulary.limit(). `merge`: by id, which tokens take
/// part (SentencePiece's normal pieces); empty: all do.
std::vector<RankedMerge> merges_of_scores(const Vocabulary& vocabulary, std::span<const double> scores,
                                          const std::vector<bool>& merge = {});

}  // namespace attnscope::tokenizers
