// core/tokenizers: adds the special tokens of the model's format around one text or two.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/tokenizers/added_tokens.hpp"
#include "core/tokenizers/encoding.hpp"

namespace attnscope::tokenizers {

/// The tokens of a sequence (0 or 1), or special tokens (-1).
struct TemplatePart {
  int sequence = -1;
  int type_id = 0;
  std::vector<Id> ids{};  // if `sequence` is -1
};
using Template = std::vector<TemplatePart>;

struct PostProcessor {
  /// Excludes white space at the ends of a token from its range, as byte-level tokenizers do.
  struct Trim {
    bool has_prefix_space = true;  // one space before the first token was added and is not in the text
  };

  std::optional<Trim> trim;
  Template single{{.sequence = 0}};
  Template pair{{.sequence = 0}, {.sequence = 1, .type_id = 1}};
};

/// The format of BERT, RoBERTa and similar models.
PostProcessor bert_format(Id cls, Id sep);
PostProcessor roberta_format(Id cls, Id sep, std::optional<PostProcessor::Trim> trim);

/// Trims the ranges of the tokens of `text`.
void trim_ranges(PostProcessor::Trim trim, const AddedTokens& added, std::string_view text,
                 std::vector<EncodedToken>& tokens);

}  // namespace attnscope::tokenizers
