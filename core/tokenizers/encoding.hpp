// core/tokenizers: the encoding of a text, or of a pair of texts.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/tokenizers/text/characters.hpp"
#include "core/tokenizers/vocabulary.hpp"

namespace attnscope::tokenizers {

struct EncodedToken {
  Id id = no_id;
  std::string text{};    // as in the vocabulary
  Range range{};         // whole characters of its text, in bytes; {0, 0} if it comes from neither text
  bool special = false;  // not a word of the text: [CLS], </s>, whether found in the text or added
  int type_id = 0;       // the segment (token type)
  int sequence = -1;     // the text that it comes from, 0 or 1; -1: added by the model's format

  bool operator==(const EncodedToken&) const = default;
};

/// A part of a text without a token.
struct Untold {
  int sequence = 0;
  Range range;

  bool operator==(const Untold&) const = default;
};

struct Encoding {
  std::vector<EncodedToken> tokens;
  std::vector<Untold> untold;  // lost parts: not in the vocabulary, and there is no unknown token

  std::vector<Id> ids() const;
};

}  // namespace attnscope::tokenizers
