// core/tokenizers: what a model's format puts around one text or two.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/tokenizers/added_tokens.hpp"
#include "core/tokenizers/encoding.hpp"

namespace attnscope::tokenizers {

/// The tokens of a sequence (0 or 1), or tokens that the format puts there (-1).
struct TemplatePart {
  int sequence = -1;
  int type_id = 0;
  std::vector<Id> ids{};  // when sequence is -1
};
using Template = std::vector<TemplatePart>;

struct PostProcessor {
  /// White space at the ends of a token is no part of its range, as byte-level tokenizers have it.
  struct Trim {
    bool has_prefix_space = true;  // one space before the first token was not in the text
  };

  std::optional<Trim> trim;
  Template single{{.sequence = 0}};
  Template pair{{.sequence = 0}, {.sequence = 1, .type_id = 1}};
};

/// The template of BERT, RoBERTa and their like.
PostProcessor bert_format(Id cls, Id sep);
PostProcessor roberta_format(Id cls, Id sep, std::optional<PostProcessor::Trim> trim);

/// Narrows the ranges of tokens of `text`.
void trim_ranges(PostProcessor::Trim trim, const AddedTokens& added, std::string_view text,
                 std::vector<EncodedToken>& tokens);

}  // namespace attnscope::tokenizers
