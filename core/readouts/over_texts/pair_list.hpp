// core/readouts/over_texts: a file with a pair of texts in each line, for activation patching, and their
// tokens.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/models/opened/text_pairs.hpp"
#include "core/readouts/over_texts/text_list.hpp"

namespace attnscope {

struct PairList {
  TextList lines;               // as in the file
  std::vector<TextPair> pairs;  // one for each line
};

/// Each line has two to four fields separated by tabs: clean text, corrupted text, right answer, wrong
/// answer. Answers may be missing or empty. Otherwise as read_text_list(). Throws Error naming the file and
/// the line, also for a wrong number of fields or an empty text.
PairList read_pair_list(const std::filesystem::path&);

/// A pair as the model reads it.
struct PairTokens {
  ModelTokens clean, corrupted;
  std::int64_t row = 0;                                 // the row whose prediction is compared
  std::optional<std::int64_t> answer = {}, other = {};  // the named tokens or classes
};
/// Reads every pair. The prediction is of the next token, of the first masked token, or of the text's class.
/// Throws line_error() if a text cannot be read (as tokens_of()), if the texts are equal or have different
/// numbers of tokens, if a text has no mask to fill or has it at another place than the other, if an answer
/// is not a single token or class, or if both answers are the same. Does not run the model.
std::vector<PairTokens> tokens_of_pairs(const OpenedModel&, const PairList&,
                                        const std::optional<std::string>& decoder_text);

}  // namespace attnscope
