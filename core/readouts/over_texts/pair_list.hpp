// core/readouts/over_texts: a file with a pair of texts in each line, for activation patching, and what a
// model reads of each of them.
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
  TextList lines;               // as they stand in the file
  std::vector<TextPair> pairs;  // of each line
};

/// Lines of two to four fields with a tab between them: the clean text, the corrupted one, the right answer
/// and the wrong one. Answers may be left out or empty. The rest is as read_text_list() has it. Throws Error
/// with a sentence that names the file and the line, also where there are other fields or a text is empty.
PairList read_pair_list(const std::filesystem::path&);

/// A pair as a model reads it.
struct PairTokens {
  ModelTokens clean, corrupted;
  std::int64_t row = 0;                                 // whose prediction is asked about
  std::optional<std::int64_t> answer = {}, other = {};  // tokens or classes that were named
};
/// Of every pair. What is predicted: the token behind the text, the first masked token, or the text's class.
/// Throws line_error() where a text cannot be read (as tokens_of() says), where both have not as many tokens
/// or are the same, where a text that a mask is filled in has none or has it elsewhere than the other, where
/// an answer is not one token or class, or both are the same one. Computes nothing.
std::vector<PairTokens> tokens_of_pairs(const OpenedModel&, const PairList&,
                                        const std::optional<std::string>& decoder_text);

}  // namespace attnscope
