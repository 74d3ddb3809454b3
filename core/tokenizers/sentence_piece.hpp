// core/tokenizers: SentencePiece's byte pair encoding, which has scores of tokens in place of a list of
// merges.
#pragma once

#include <span>

#include "core/tokenizers/bpe.hpp"

namespace attnscope::tokenizers {

/// Two tokens merge whenever what they make is a token; the one with the highest score is made first, the
/// leftmost of equals. `scores` are by id, as many as vocabulary.limit().
std::vector<RankedMerge> merges_of_scores(const Vocabulary& vocabulary, std::span<const double> scores);

}  // namespace attnscope::tokenizers
