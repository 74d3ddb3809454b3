// core/tokenizers: what a text, or a pair of texts, is to a model.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/tokenizers/text/characters.hpp"
#include "core/tokenizers/vocabulary.hpp"

namespace attnscope::tokenizers {

struct EncodedToken {
  Id id = no_id;
  std::string text{};    // as the vocabulary has it
  Range range{};         // whole characters of its text, in bytes; {0, 0} when it comes from none
  bool special = false;  // stands for no word: [CLS], </s>, wherever it comes from
  int type_id = 0;       // the segment
  int sequence = -1;     // 0, 1: which text it comes from; -1: the model's format puts it there

  bool operator==(const EncodedToken&) const = default;
};

/// A part of a text that has no token.
struct Untold {
  int sequence = 0;
  Range range;

  bool operator==(const Untold&) const = default;
};

struct Encoding {
  std::vector<EncodedToken> tokens;
  std::vector<Untold> untold;  // vanished, since neither the vocabulary nor an unknown token has it

  std::vector<Id> ids() const;
};

}  // namespace attnscope::tokenizers
